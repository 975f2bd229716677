import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { CopyButton } from './button.js';
import { describeDistance } from './distance.js';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info' | 'accent';

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

/** Words that the service writes with underscores, as people write them. */
export const plainWords = (text: string): string => text.replaceAll('_', ' ');

export const sentence = (text: string): string => {
  const words = plainWords(text);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
export const formatInstant = (at: string): string => absolute.format(new Date(at));

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
export const formatDay = (at: string): string => days.format(new Date(at));

export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  useMinutes();
  if (!at) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {exact ? formatInstant(at) : describeDistance(at)}
    </time>
  );
}

/** A page that stays open tells the time anew: one clock for all. */
let minutes = 0;
const minuteWatchers = new Set<() => void>();
setInterval(() => {
  minutes += 1;
  for (const tell of minuteWatchers) tell();
}, 60_000);

const useMinutes = (): number =>
  useSyncExternalStore(
    (tell) => {
      minuteWatchers.add(tell);
      return () => minuteWatchers.delete(tell);
    },
    () => minutes,
  );

export const formatMoney = (dollars: number): string =>
  `$${dollars.toFixed(dollars !== 0 && Math.abs(dollars) < 0.1 ? 4 : 2)}`;

/** 1 board, 2 boards; `many` where an s does not make it. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const counts = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
export const formatCount = (count: number): string => counts.format(count);

/** Seconds as people say them: 42 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ''}`;
  const rest = Math.floor((whole % 3600) / 60);
  return `${Math.floor(whole / 3600)} h${rest ? ` ${rest} min` : ''}`;
}

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
