import type { SpendBy } from '../api/money.js';

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** To the cent, however much it is. */
export const formatCents = (usd: number): string => dollars.format(usd);

export const BY_WORDS: Record<SpendBy, { label: string; noun: string }> = {
  day: { label: 'By day', noun: 'Day' },
  project: { label: 'By project', noun: 'Project' },
  agent: { label: 'By agent', noun: 'Agent' },
  card: { label: 'By card', noun: 'Card' },
  coder: { label: 'By coder', noun: 'Coder' },
  profile: { label: 'By profile', noun: 'Profile' },
};

/** A sum of money as typed: empty is no limit. What is no number goes to the service, which says so. */
export const readUsd = (text: string): number | null => (text.trim() === '' ? null : Number(text));
export const writeUsd = (usd: number | null): string => (usd === null ? '' : String(usd));
