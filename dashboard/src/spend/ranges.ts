import { addDays, type Day, firstOfMonth, readDay } from './days.js';

export interface Range {
  from: Day;
  to: Day;
}

/** The range in the URL; defaults to the month so far. */
export function readRange(query: URLSearchParams, today: Day): Range {
  const to = readDay(query.get('to')) ?? today;
  return { from: readDay(query.get('from')) ?? firstOfMonth(to), to };
}

export function usualRanges(today: Day): { label: string; range: Range }[] {
  const lastOfBefore = addDays(firstOfMonth(today), -1);
  return [
    { label: 'This month', range: { from: firstOfMonth(today), to: today } },
    { label: 'Last month', range: { from: firstOfMonth(lastOfBefore), to: lastOfBefore } },
    { label: '7 days', range: { from: addDays(today, -6), to: today } },
    { label: '30 days', range: { from: addDays(today, -29), to: today } },
  ];
}
