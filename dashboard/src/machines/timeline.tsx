import { readTimeline, type TimelineItem } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { plainWords, sentence, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';

const POLL_MS = 15_000;

export function Timeline({ deskId }: { deskId: string }) {
  const timeline = useResource(`timeline:${deskId}`, (signal) => readTimeline(deskId, signal), {
    pollMs: POLL_MS,
  });
  return (
    <Section title="Timeline">
      <Loaded of={timeline} rows={3}>
        {(data) =>
          data.items.length === 0 ? (
            <p className="muted">Nothing has happened yet.</p>
          ) : (
            <ol className="timeline">
              {data.items.map((item) => (
                <li key={item.id}>
                  <Event item={item} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  );
}

function Event({ item }: { item: TimelineItem }) {
  const change = [item.from, item.to].flatMap((state) => (state ? [plainWords(state)] : [])).join(' → ');
  return (
    <>
      <div className="timeline-head">
        <strong>{sentence(item.kind.replaceAll('.', ' '))}</strong>
        {change && <span>{change}</span>}
        <span className="muted small">
          <Time at={item.at} />
        </span>
      </div>
      {item.reason && <div className="muted small">{plainWords(item.reason)}</div>}
      {item.probes.length > 0 && (
        <details className="small">
          <summary>{item.probes.length} health checks</summary>
          <ul className="plain-list">
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
