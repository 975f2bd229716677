import type { ReactNode } from 'react';

/** Small charts built from HTML and SVG elements, each with a text description. */

interface PictureProps {
  title: string;
  /** Text description for screen readers. */
  says: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function Picture({ title, says, aside, children }: PictureProps) {
  return (
    <figure className="picture">
      <figcaption className="picture-head">
        <h2>{title}</h2>
        {aside && <span className="muted small">{aside}</span>}
      </figcaption>
      <div role="img" aria-label={says}>
        {children}
      </div>
    </figure>
  );
}

const WIDTH = 100;
const HEIGHT = 40;

interface LineProps {
  values: number[];
  className?: string;
}

/** A filled line chart at full width. The y-axis starts at zero so that the slope is not exaggerated. */
export function Line({ values, className = '' }: LineProps) {
  const highest = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, at) => {
    const y = HEIGHT - 1 - (value / highest) * (HEIGHT - 3);
    return `${(at * step).toFixed(2)},${y.toFixed(2)}`;
  });
  return (
    <svg
      className={`line-picture ${className}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <polygon className="line-ground" points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline className="line-stroke" points={points.join(' ')} />
    </svg>
  );
}

export interface Bar {
  name: string;
  value: number;
  title: string;
  tone?: 'accent' | 'warn' | 'quiet';
}

/** Vertical bars with names below them; with `every`, only every nth name is shown. */
export function Columns({ bars, every = 1 }: { bars: Bar[]; every?: number }) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div className="bars">
      {bars.map((bar, at) => (
        <div key={bar.name} className="bars-one" title={bar.title}>
          <span className="bars-track">
            <span
              className={`bars-fill fill-${bar.tone ?? 'accent'}`}
              style={{ height: `${(bar.value / highest) * 100}%` }}
            />
          </span>
          <span className="bars-name">{at % every === 0 ? bar.name : ''}</span>
        </div>
      ))}
    </div>
  );
}

/** Horizontal bars, each with its name and number. */
export function HorizontalBars({ bars }: { bars: Bar[] }) {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <div className="row-bars">
      {bars.map((bar) => (
        <div key={bar.name} className="row-bar" title={bar.title}>
          <span className="row-bar-name">{bar.name}</span>
          <span className="row-bar-track">
            <span
              className={`row-bar-fill fill-${bar.tone ?? 'accent'}`}
              style={{ width: `${(bar.value / highest) * 100}%` }}
            />
          </span>
          <span className="row-bar-value">{bar.value}</span>
        </div>
      ))}
    </div>
  );
}
