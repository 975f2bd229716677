import type { Exit } from './driver.js';

export const describeExit = ({ code, signal }: Exit): string =>
  signal ? `by signal ${signal}` : `with exit code ${code}`;

const LONGEST_RESULT = 10_000;
const LONGEST_REASON = 500;

export const clipResult = (text: string): string => clip(text, LONGEST_RESULT);
export const clipReason = (text: string): string => clip(text.replace(/\s+/g, ' ').trim(), LONGEST_REASON);

/** Databases reject zero bytes and unpaired surrogates. */
export function clip(text: string, longest: number): string {
  const clean = text.replaceAll('\0', '\ufffd');
  const short = clean.length > longest ? `${clean.slice(0, longest - 1)}…` : clean;
  return short.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

export const isCost = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

export const shorten = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)} … (${text.length} characters)` : text;
