export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info' | 'accent';

export const plainWords = (text: string): string => text.replaceAll('_', ' ');

export const sentence = (text: string): string => {
  const words = plainWords(text);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
export const formatInstant = (at: string): string => absolute.format(new Date(at));

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
export const formatDay = (at: string): string => days.format(new Date(at));

export const formatMoney = (dollars: number): string =>
  `$${dollars.toFixed(dollars !== 0 && Math.abs(dollars) < 0.1 ? 4 : 2)}`;

/** The name that the service gives an erased person. */
export const FORMER_MEMBER = 'Former member';

/** Pluralizes a noun; pass `many` for irregular plurals. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const counts = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
export const formatCount = (count: number): string => counts.format(count);

/** Formats seconds such as 42 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ''}`;
  const rest = Math.floor((whole % 3600) / 60);
  return `${Math.floor(whole / 3600)} h${rest ? ` ${rest} min` : ''}`;
}
