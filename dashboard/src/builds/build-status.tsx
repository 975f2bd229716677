import { useEffect, useState } from 'react';
import type { Build } from '../api/builds.js';
import { Badge, countOf, formatDuration, formatInstant } from '../ui/display.js';
import { isOpen, STATUS_TONES, STATUS_WORDS, secondsOf } from './build-words.js';

export function BuildStatus({ build }: { build: Build }) {
  const stopping = isOpen(build) && build.cancel_requested_at !== null;
  const troubled = build.silent || build.stalled;
  const tone = stopping || troubled ? 'warn' : STATUS_TONES[build.status];
  const works = build.status === 'running' || build.status === 'checking';
  return (
    <Badge tone={tone}>
      {works && !troubled && <span className="build-pulse" aria-hidden="true" />}
      {stopping ? 'Stopping' : STATUS_WORDS[build.status]}
      {build.silent ? ', silent' : build.stalled && ', stalled'}
    </Badge>
  );
}

const SECOND_MS = 1000;

function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

export function BuildDuration({ build }: { build: Build }) {
  const now = useNow(isOpen(build));
  const seconds = secondsOf(build, Math.max(now, Date.now()));
  return seconds === undefined ? null : <span className="numbers">{formatDuration(seconds)}</span>;
}

export function DiffSize({ build }: { build: Build }) {
  if (!build.diff) return null;
  const { files, insertions, deletions } = build.diff;
  const counted = countOf(files, 'file');
  return (
    <span
      className="diff-size"
      title={`${counted}, ${countOf(insertions, 'line')} added, ${deletions} removed`}
    >
      <span className="off-screen">{counted}, </span>
      <span className="good">+{insertions}</span> <span className="bad">−{deletions}</span>
    </span>
  );
}

interface Step {
  label: string;
  at: string | null;
  state: 'done' | 'now' | 'ahead' | 'bad';
  /** Time since the previous step. */
  after?: string;
}

function stepsOf(build: Build): Step[] {
  const { queued_at, claimed_at, started_at, finished_at, status } = build;
  const between = (from: string | null, to: string | null) =>
    from && to ? formatDuration((Date.parse(to) - Date.parse(from)) / 1000) : undefined;
  const ended = !isOpen(build);
  const reached = (at: string | null): Step['state'] => (at ? 'done' : 'ahead');
  const steps: Step[] = [
    { label: 'Queued', at: queued_at, state: status === 'queued' ? 'now' : 'done' },
    {
      label: 'Claimed',
      at: claimed_at,
      state: status === 'claimed' ? 'now' : reached(claimed_at),
      after: between(queued_at, claimed_at),
    },
    {
      label: 'Running',
      at: started_at,
      state: status === 'running' || status === 'waiting' ? 'now' : reached(started_at),
      after: between(claimed_at, started_at),
    },
    ...(status === 'checking' ? [{ label: STATUS_WORDS.checking, at: null, state: 'now' } as const] : []),
    {
      label: ended ? STATUS_WORDS[status] : 'End',
      at: finished_at,
      state: !ended ? 'ahead' : STATUS_TONES[status] === 'bad' ? 'bad' : 'done',
      after: between(started_at, finished_at),
    },
  ];
  // A finished build shows only the steps that it reached.
  return ended ? steps.filter(({ at }) => at !== null) : steps;
}

export function StatusStrip({ build }: { build: Build }) {
  return (
    <ol className="status-strip" aria-label="Progress of this build">
      {stepsOf(build).map(({ label, at, state, after }) => (
        <li
          key={label}
          className={`strip-step strip-${state}`}
          aria-current={state === 'now' ? 'step' : undefined}
        >
          <span className="strip-label">{label}</span>
          <span className="strip-time">
            {at ? <time dateTime={at}>{formatClock(at)}</time> : state === 'now' ? 'now' : 'pending'}
            {after && <span title="Since the previous step"> · {after}</span>}
            {label === 'Running' && state === 'now' && (
              <>
                {' · '}
                <BuildDuration build={build} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Times of today omit the date. */
function formatClock(at: string): string {
  const moment = new Date(at);
  return moment.toDateString() === new Date().toDateString() ? clock.format(moment) : formatInstant(at);
}
