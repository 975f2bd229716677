import { type ReactNode, useState } from 'react';
import { Picker, type PickerOption } from '../ui/picker.js';

interface DueProps {
  label: string;
  className?: string;
  /** `dueAt` is the end of the day in the user's time zone; null removes the date. */
  onPick(dueAt: string | null, words: string): void;
  children: ReactNode;
}

const NONE = 'none';
const DAY_MS = 86_400_000;
const dayWords = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const NEAR: [string, number][] = [
  ['Today', 0],
  ['Tomorrow', 1],
  ['In three days', 3],
  ['In a week', 7],
  ['In two weeks', 14],
  ['In four weeks', 28],
];

/** Offers nearby days by name and accepts any other date. */
export function DuePicker({ label, className, onPick, children }: DueProps) {
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const near: PickerOption[] = NEAR.map(([name, away]) => {
    const day = new Date(Date.now() + away * DAY_MS);
    return { id: isoDay(day), label: name, hint: dayWords.format(day) };
  });
  const typed = readDay(text.trim());
  const options = [
    ...(typed ? [{ id: isoDay(typed), label: dayWords.format(typed), hint: isoDay(typed) }] : []),
    ...[...near, { id: NONE, label: 'No date' }].filter((option) =>
      option.label.toLowerCase().includes(words),
    ),
  ];
  return (
    <Picker
      label={label}
      className={className}
      options={options}
      chosen={[]}
      onType={setText}
      placeholder="A day, or 2027-01-31"
      onPick={(id) => {
        setText('');
        if (id === NONE) onPick(null, 'no due date');
        else
          onPick(
            new Date(`${id}T23:59:00`).toISOString(),
            `due ${dayWords.format(new Date(`${id}T12:00:00`))}`,
          );
      }}
    >
      {children}
    </Picker>
  );
}

/** A date without a year means its next occurrence. */
function readDay(text: string): Date | undefined {
  if (!/\d/.test(text) || text.length < 4) return undefined;
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T12:00:00`) : undefined;
  if (full) return Number.isNaN(full.getTime()) ? undefined : full;
  const year = new Date().getFullYear();
  const day = new Date(`${text} ${year} 12:00`);
  if (Number.isNaN(day.getTime())) return undefined;
  if (day.getTime() < Date.now() - DAY_MS) day.setFullYear(year + 1);
  return day;
}

function isoDay(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
