import type { SpendBy } from '../api/money.js';

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Always shows cents. */
export const formatCents = (usd: number): string => dollars.format(usd);

export const BY_WORDS: Record<SpendBy, { label: string; noun: string }> = {
  day: { label: 'By day', noun: 'Day' },
  project: { label: 'By project', noun: 'Project' },
  agent: { label: 'By agent', noun: 'Agent' },
  card: { label: 'By card', noun: 'Card' },
  coder: { label: 'By coder', noun: 'Coder' },
  profile: { label: 'By profile', noun: 'Profile' },
};

/** Parses an amount; empty means no limit. Invalid input is sent, so that the service reports it. */
export const readUsd = (text: string): number | null => (text.trim() === '' ? null : Number(text));
export const writeUsd = (usd: number | null): string => (usd === null ? '' : String(usd));
