import type { Employee, Hire } from '../api/agents.js';
import type { Workstation } from '../api/machines.js';
import { whyWaiting } from '../machines/desk-words.js';
import { formatDay, formatMoney, type Tone } from '../ui/display.js';

/** Canceled at the end of the period, which is not over yet, so the agent still works. */
export const isLeaving = (hire: Hire): boolean =>
  hire.status === 'canceled' &&
  hire.cancel_at_period_end &&
  hire.effective_at !== null &&
  new Date(hire.effective_at).getTime() > Date.now();

export const canCancel = (hire: Hire): boolean => hire.status !== 'canceled' || isLeaving(hire);

export interface HireState {
  words: string;
  tone: Tone;
  note?: string;
}

/** A hire with a desk is at work only when the desk is ready. */
export function stateOfHire(hire: Hire, desk: Workstation | undefined): HireState {
  if (hire.status === 'provisioning') {
    return hire.error
      ? { words: 'waits', tone: 'warn', note: hire.error }
      : { words: 'being set up', tone: 'info' };
  }
  if (isLeaving(hire)) return { words: `works until ${formatDay(hire.effective_at!)}`, tone: 'warn' };
  if (hire.status === 'canceled') {
    const end = hire.effective_at ? ` ${formatDay(hire.effective_at)}` : '';
    return { words: `ended${end}`, tone: 'plain' };
  }
  if (desk && !desk.ready)
    return { words: 'desk not ready', tone: 'warn', note: `Its desk ${whyWaiting(desk)}.` };
  return { words: 'at work', tone: 'good' };
}

export const priceWords = ({ price_usd: price }: Employee): string =>
  price === undefined ? 'Included in the subscription' : `${formatMoney(price)} every 30 days`;
