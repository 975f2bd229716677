import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { watchTheme } from '../shell/theme.js';
import { Button } from './button.js';
import { TableFrame } from './table-frame.js';

/** Chart colors from the tokens `--chart-1` to `--chart-6`, and one for failures. */
export type ChartTone = '1' | '2' | '3' | '4' | '5' | '6' | 'bad';

export interface ChartSeries {
  label: string;
  tone: ChartTone;
  values: number[];
}

interface ChartProps {
  title: string;
  /** A one-sentence summary for screen readers, in addition to the table. */
  summary: string;
  labels: string[];
  /** A prefix for labels, such as `Week of`. */
  labelNoun: string;
  series: ChartSeries[];
  /** Grouped bars, stacked bars, or a line with a filled area. */
  kind: 'bars' | 'stack' | 'line';
  format?: (value: number) => string;
  height?: number;
  /** A reference value, drawn as a horizontal line. */
  mark?: { label: string; value: number };
}

const plainCount = new Intl.NumberFormat('en');

export function Chart(props: ChartProps) {
  const { title, summary, series, labels, format = plainCount.format } = props;
  const [asTable, setAsTable] = useState(false);
  const [at, setAt] = useState<number>();
  const headingId = useId();
  return (
    <figure className="chart" aria-labelledby={headingId}>
      <figcaption className="chart-head">
        <div>
          <h2 id={headingId}>{title}</h2>
          <p className="muted small">{summary}</p>
        </div>
        <Button small tone="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show as picture' : 'Show as table'}
          <span className="off-screen"> of {title}</span>
        </Button>
      </figcaption>
      {asTable ? (
        <NumbersTable {...props} format={format} />
      ) : (
        <>
          <Picture {...props} format={format} onPoint={setAt} />
          <ul className="chart-legend" aria-hidden="true">
            <li className="chart-at">
              {at === undefined
                ? props.kind === 'line'
                  ? 'Now'
                  : 'In all'
                : `${props.labelNoun} ${labels[at] ?? ''}`}
            </li>
            {series.map(({ label, tone, values }) => (
              <li key={label}>
                <span className={`chart-key chart-key-${tone}`} />
                {label} <strong>{format(at === undefined ? sumOf(props.kind, values) : values[at]!)}</strong>
              </li>
            ))}
            {props.mark && (
              <li>
                <span className="chart-key chart-key-mark" />
                {props.mark.label} <strong>{format(props.mark.value)}</strong>
              </li>
            )}
          </ul>
        </>
      )}
    </figure>
  );
}

/** A line shows its latest value; bars show their sum. */
const sumOf = (kind: ChartProps['kind'], values: number[]): number =>
  kind === 'line' ? (values.at(-1) ?? 0) : values.reduce((sum, value) => sum + value, 0);

interface Formatted extends ChartProps {
  format: (value: number) => string;
}

function NumbersTable({ title, labelNoun, labels, series, format }: Formatted) {
  return (
    <TableFrame className="chart-table" label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{labelNoun}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col" className="right">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map((each) => (
                <td key={each.label} className="right number">
                  {format(each.values[row] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

interface PictureProps extends Formatted {
  onPoint(at: number | undefined): void;
}

const HEIGHT = 200;

function Picture(props: PictureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  // Redraw only when the numbers change, not on every read.
  const drawn = useMemo(
    () => JSON.stringify([props.kind, props.labels, props.series, props.mark]),
    [props.kind, props.labels, props.series, props.mark],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `drawn` stands for all of them
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let plot: uPlot | undefined;
    let gone = false;
    const fit = new ResizeObserver(() => plot?.setSize(sizeOf(element)));
    const unwatch = watchTheme(() => plot?.redraw(false));
    // Load the chart library with the first chart to keep the page small.
    void import('uplot').then(({ default: Plot }) => {
      if (gone) return;
      plot = new Plot(optionsOf(Plot, latest.current, sizeOf(element)), dataOf(latest.current), element);
      fit.observe(element);
    });
    return () => {
      gone = true;
      fit.disconnect();
      unwatch();
      plot?.destroy();
      latest.current.onPoint(undefined);
    };
  }, [drawn]);

  return (
    <div
      ref={frame}
      className="chart-picture"
      role="img"
      aria-label={`${props.title}. ${props.summary}`}
      style={{ height: props.height ?? HEIGHT }}
    />
  );
}

const sizeOf = (element: HTMLElement) => ({
  width: Math.max(120, element.clientWidth),
  height: element.clientHeight,
});

/** A stacked series includes the ones below it; the tallest is drawn first and the others over it. */
function dataOf({ kind, labels, series }: ChartProps): uPlot.AlignedData {
  const columns = series.map(({ values }) => values);
  const shown =
    kind === 'stack'
      ? columns
          .map((_, top) =>
            labels.map((_, at) => columns.slice(0, top + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0)),
          )
          .reverse()
      : columns;
  return [labels.map((_, at) => at), ...shown];
}

const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const FONT = '11px system-ui, sans-serif';

/** Axis steps for counts are whole numbers. */
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
);

function optionsOf(
  Plot: typeof uPlot,
  { kind, labels, series, format, onPoint, mark }: PictureProps,
  size: { width: number; height: number },
): uPlot.Options {
  const drawn = kind === 'stack' ? [...series].reverse() : series;
  const whole = series.every(({ values }) => values.every(Number.isInteger));
  const axis: uPlot.Axis = {
    font: FONT,
    stroke: () => colourOf('--muted'),
    ticks: { show: false },
    grid: { stroke: () => colourOf('--line'), width: 1 },
  };
  return {
    ...size,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'line' } },
    scales: {
      x: { time: false, range: () => [-0.6, labels.length - 0.4] },
      y: {
        range: (_, __, most) => {
          const top = Math.max(most, mark?.value ?? 0);
          return [0, top > 0 ? top * 1.08 : 1];
        },
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        gap: 7,
        space: 54,
        incrs: [1, 2, 3, 4, 6, 8, 13, 26, 61, 92, 183],
        values: (_, splits) => splits.map((at) => labels[at] ?? ''),
      },
      {
        ...axis,
        size: (_, values) => 16 + 6.5 * Math.max(2, ...(values ?? []).map((text) => text.length)),
        gap: 4,
        space: 34,
        ...(whole && { incrs: WHOLE_STEPS }),
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ tone }, place): uPlot.Series => {
        const colour = () => colourOf(`--chart-${tone}`);
        const points = { show: kind === 'line' && labels.length < 30 };
        if (kind === 'line')
          return { stroke: colour, width: 2, points, fill: () => colourOf('--accent-soft') };
        return {
          stroke: colour,
          fill: colour,
          width: 0,
          points,
          paths: barsOf(Plot, kind, series.length, place),
        };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
      draw: mark ? [(plot) => drawMark(plot, mark.value)] : [],
    },
  };
}

function drawMark(plot: uPlot, value: number): void {
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(value, 'y', true));
  ctx.save();
  ctx.strokeStyle = colourOf('--chart-bad');
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Two grouped series are placed side by side; stacked or single bars are centered on their label. */
function barsOf(Plot: typeof uPlot, kind: 'bars' | 'stack', count: number, place: number) {
  const beside = kind === 'bars' && count === 2;
  const align = beside ? ((place === 0 ? -1 : 1) as -1 | 1) : 0;
  return Plot.paths.bars!({ size: [beside ? 0.34 : 0.62, 34], align, radius: 0.12 });
}
