import { listUpdates, type MachineUpdate } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { ActorName } from '../ui/actor.js';
import { Badge, Time, type Tone } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';

const POLL_MS = 5000;
const TONES: Record<MachineUpdate['status'], Tone> = {
  queued: 'info',
  running: 'warn',
  done: 'good',
  failed: 'bad',
};

export function Updates({ deskId }: { deskId: string }) {
  const updates = useResource(`updates:${deskId}`, (signal) => listUpdates(deskId, signal), {
    pollMs: POLL_MS,
  });
  return (
    <Section title="Updates">
      <Loaded of={updates} rows={1}>
        {(data) =>
          data.updates.length === 0 ? (
            <p className="muted">None requested. An update waits until no build is running.</p>
          ) : (
            <ul className="plain-list">
              {data.updates.map((update) => (
                <li key={update.id}>
                  <Badge tone={TONES[update.status]}>{update.status}</Badge>{' '}
                  {update.to_version && <span className="mono">{update.to_version}</span>}{' '}
                  <span className="muted small">
                    <ActorName actor={update.requested_by} />, <Time at={update.requested_at} />
                  </span>
                  {update.error && <div className="bad small">{update.error}</div>}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
