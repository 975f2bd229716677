import type { TimelineItem } from '../api/machines.js';
import { formatInstant } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { eventWords, isOfInstallation } from './desk-words.js';
import { usePast } from './use-past.js';

const clock = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

export function InstallerLog({ deskId, live }: { deskId: string; live: boolean }) {
  const past = usePast(deskId, live);
  return (
    <Section
      title="Installer log"
      lead={live ? 'Lines appear as the installer reports them.' : undefined}
      actions={live && <span className="live-mark">Live</span>}
    >
      <Loaded of={past} rows={2}>
        {(data) => {
          const lines = data.items.filter(isOfInstallation).reverse();
          return lines.length === 0 ? (
            <p className="muted">Its installation is older than what is kept.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keyboard
            <div className="installer-log" role="log" aria-label="Installer log" tabIndex={0}>
              <ol>
                {lines.map((item) => (
                  <li key={item.id} className={isFault(item) ? 'installer-fault' : undefined}>
                    <time dateTime={item.at} title={formatInstant(item.at)}>
                      {clock.format(new Date(item.at))}
                    </time>
                    <span>{lineOf(item)}</span>
                  </li>
                ))}
              </ol>
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

const EXIT = /^(.*?) \(exit (\d+)\)$/;

const isFault = ({ kind, reason }: TimelineItem): boolean =>
  kind === 'hello_refused' || Number(EXIT.exec(reason ?? '')?.[2] ?? 0) !== 0;

function lineOf(item: TimelineItem): string {
  if (item.kind !== 'installer_step')
    return item.kind === 'hello_refused' ? `${eventWords(item)}: it hosts another desk` : eventWords(item);
  const [, step = item.reason ?? '', code] = EXIT.exec(item.reason ?? '') ?? [];
  if (code === undefined) return step;
  return code === '0' ? `${step}: done` : `${step}: failed with code ${code}`;
}
