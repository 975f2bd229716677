import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { CopyButton } from './button.js';
import { describeDistance } from './distance.js';
import { formatInstant, type Tone } from './format.js';

export {
  countOf,
  formatCount,
  formatDay,
  formatDuration,
  formatInstant,
  formatMoney,
  plainWords,
  sentence,
  type Tone,
} from './format.js';

export function Badge({
  tone = 'plain',
  children,
  title,
}: {
  tone?: Tone;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span
      className={`badge badge-${tone}`}
      title={title ?? (typeof children === 'string' ? children : undefined)}
    >
      {children}
    </span>
  );
}

export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  useMinutes();
  if (!at) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {exact ? formatInstant(at) : describeDistance(at)}
    </time>
  );
}

/** One shared timer updates all relative times on the page. */
let minutes = 0;
const minuteWatchers = new Set<() => void>();
setInterval(() => {
  minutes += 1;
  for (const notify of minuteWatchers) notify();
}, 60_000);

const useMinutes = (): number =>
  useSyncExternalStore(
    (notify) => {
      minuteWatchers.add(notify);
      return () => minuteWatchers.delete(notify);
    },
    () => minutes,
  );

export function Avatar({ name, photo, size = 28 }: { name: string; photo?: string | null; size?: number }) {
  const [broken, setBroken] = useState<string>();
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 6, 0);
  const initials = name
    .split(/\s+/)
    .filter(Boolean)
    .map((part) => part[0]!.toUpperCase());
  const shown = [initials[0], initials.length > 1 ? initials.at(-1) : undefined].join('');
  return (
    <span
      className={`avatar avatar-${hue}`}
      style={{ width: size, height: size, fontSize: size * 0.38 }}
      title={name}
    >
      {photo && photo !== broken ? (
        <img src={photo} alt="" width={size} height={size} onError={() => setBroken(photo)} />
      ) : (
        <span aria-hidden="true">{shown || '?'}</span>
      )}
    </span>
  );
}

export function Facts({ items }: { items: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {items.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function CodeLine({ label, code }: { label: string; code: string }) {
  return (
    <div className="code-line">
      <div className="code-line-head">
        <span>{label}</span>
        <CopyButton text={code} />
      </div>
      <pre>
        <code>{code}</code>
      </pre>
    </div>
  );
}

export function Meter({ value, label }: { value: number; label: string }) {
  const percent = Math.round(value * 100);
  return (
    <span className="meter" title={`${label}: ${percent}%`}>
      <span className="meter-track">
        <span className="meter-fill" style={{ width: `${percent}%` }} />
      </span>
      <span className="meter-text">
        <span className="off-screen">{label} </span>
        {percent}%
      </span>
    </span>
  );
}
