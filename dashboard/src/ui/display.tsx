import { type ReactNode, useState } from 'react';
import { CopyButton } from './button.js';

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
    <span className={`badge badge-${tone}`} title={title}>
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

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

function describeDistance(at: string): string {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const step = STEPS.find(([, length]) => Math.abs(seconds) >= length);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : 'just now';
}

export const formatInstant = (at: string): string => absolute.format(new Date(at));

export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  if (!at) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {exact ? formatInstant(at) : describeDistance(at)}
    </time>
  );
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
