import { useState } from 'react';
import type { DeskPast, TimelineItem } from '../api/machines.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { formatDuration, formatInstant, plainWords, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { stateOfRecord } from './desk-states.js';
import { eventWords, isOfInstallation, STATE_WORDS } from './desk-words.js';
import { type Stretch, stretchesOf, sumStretches } from './state-strip.js';
import { usePast } from './use-past.js';

const HOUR = 3_600_000;
const SPANS = { '24h': 24 * HOUR, '14d': 14 * 24 * HOUR } as const;
const SPAN_WORDS = { '24h': '24 hours', '14d': '14 days' } as const;
type Span = keyof typeof SPANS;

export function Timeline({ deskId, live }: { deskId: string; live: boolean }) {
  const past = usePast(deskId, live);
  const asked = usePlace().query.get('span');
  const span: Span = asked === '14d' ? '14d' : '24h';
  return (
    <Section
      title="Timeline"
      actions={
        <fieldset className="chips">
          <legend className="off-screen">Time that is shown</legend>
          {(Object.keys(SPANS) as Span[]).map((each) => (
            <button
              key={each}
              type="button"
              className="chip"
              aria-pressed={each === span}
              onClick={() =>
                navigate(withParameters({ span: each === '24h' ? null : each }), { replace: true })
              }
            >
              {SPAN_WORDS[each]}
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded of={past} rows={3}>
        {(data) => (
          <>
            <Strip past={data} span={span} />
            <Changes items={data.items.filter((item) => !isOfInstallation(item))} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Strip({ past, span }: { past: DeskPast; span: Span }) {
  const to = Date.now();
  const from = to - SPANS[span];
  const stretches = stretchesOf(past, from, to);
  const sums = sumStretches(stretches);
  const said = sums
    .map(({ state, ms, share }) => `${STATE_WORDS[state]} ${formatDuration(ms / 1000)} (${percentOf(share)})`)
    .join(', ');
  return (
    <div className="strip">
      <div
        className="strip-band"
        role="img"
        aria-label={`The last ${SPAN_WORDS[span]}: ${said || 'nothing is known'}.`}
      >
        {stretches.map((stretch) => (
          <span
            key={stretch.from}
            className={`strip-stretch strip-${stretch.state}`}
            style={{ flexGrow: stretch.to - stretch.from }}
            title={describeStretch(stretch)}
          />
        ))}
      </div>
      <div className="strip-scale" aria-hidden="true">
        {marksOf(span, from, to).map(({ at, text }) => (
          <span key={at} style={{ left: `${((at - from) / (to - from)) * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
      <ul className="strip-sums" aria-hidden="true">
        {sums.map(({ state, ms, share }) => (
          <li key={state}>
            <span className={`strip-key strip-${state}`} />
            {STATE_WORDS[state]} <strong>{percentOf(share)}</strong>{' '}
            <span className="muted">{formatDuration(ms / 1000)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function percentOf(share: number): string {
  const percent = share * 100;
  return `${percent > 99 && percent < 100 ? percent.toFixed(1) : Math.round(percent)}%`;
}

function describeStretch({ state, from, to }: Stretch): string {
  const times = `${formatInstant(new Date(from).toISOString())} to ${formatInstant(new Date(to).toISOString())}`;
  return `${state === 'none' ? 'not there yet' : STATE_WORDS[state]}, ${times}`;
}

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayName = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** Marks every six hours or two days, at full hours or midnight in the user's time zone. */
function marksOf(span: Span, from: number, to: number): { at: number; text: string }[] {
  const start = new Date(from);
  start.setHours(0, 0, 0, 0);
  const marks: { at: number; text: string }[] = [];
  for (const date = start; date.getTime() < to; step(date, span)) {
    const at = date.getTime();
    if ((at - from) / (to - from) < 0.02 || (to - at) / (to - from) < 0.04) continue;
    marks.push({ at, text: span === '24h' ? clock.format(date) : dayName.format(date) });
  }
  return marks;
}

function step(date: Date, span: Span): void {
  if (span === '24h') date.setHours(date.getHours() + 6);
  else date.setDate(date.getDate() + 3);
}

const SHOWN_FIRST = 8;

function Changes({ items }: { items: TimelineItem[] }) {
  const [all, setAll] = useState(false);
  if (items.length === 0) return <p className="muted">Its state has not changed yet.</p>;
  const shown = all ? items : items.slice(0, SHOWN_FIRST);
  return (
    <>
      <ol className="timeline" aria-label="Changes">
        {shown.map((item) => (
          <li key={item.id} className={`timeline-${stateOfRecord(item.to) ?? 'none'}`}>
            <Change item={item} />
          </li>
        ))}
      </ol>
      {items.length > SHOWN_FIRST && (
        <div>
          <Button small tone="quiet" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${items.length} changes`}
          </Button>
        </div>
      )}
    </>
  );
}

function Change({ item }: { item: TimelineItem }) {
  const before = stateOfRecord(item.from);
  const reason = item.reason && item.reason !== item.to ? plainWords(item.reason) : undefined;
  return (
    <>
      <div className="timeline-head">
        <strong>{eventWords(item)}</strong>
        <span className="muted small">
          {before && `before: ${STATE_WORDS[before]}, `}
          {reason && `${reason}, `}
          <Time at={item.at} />
        </span>
      </div>
      {item.probes.length > 0 && (
        <details className="small">
          <summary>
            {item.probes.length} health {item.probes.length === 1 ? 'check' : 'checks'}
          </summary>
          <ul className="plain-list probe-list">
            {item.probes.map((probe) => (
              <li key={probe.at}>
                <Time at={probe.at} exact /> {probe.outcome}, {Math.round(probe.duration_ms)} ms:{' '}
                {probe.detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
