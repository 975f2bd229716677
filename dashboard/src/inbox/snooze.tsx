import { useState } from 'react';
import { useAction } from '../api/action.js';
import { readDay } from '../boards/due-words.js';
import { FormDialog } from '../ui/dialog.js';
import { formatInstant } from '../ui/display.js';
import { TextField } from '../ui/field.js';
import type { MenuItem } from '../ui/menu.js';

const MORNING = 8;
const LATER_HOURS = 3;

const morningOf = (day: string): Date => {
  const date = new Date(`${day}T00:00:00`);
  date.setHours(MORNING);
  return date;
};

interface Snoozing {
  onSnooze(until: Date | null): void;
  onAsk(): void;
}

export const snoozeItems = ({ onSnooze, onAsk }: Snoozing, isSnoozed: boolean): MenuItem[] => [
  ...(isSnoozed ? [{ label: 'Unsnooze', perform: () => onSnooze(null) }] : []),
  { label: 'Later today', perform: () => onSnooze(new Date(Date.now() + LATER_HOURS * 3_600_000)) },
  { label: 'Tomorrow', perform: () => onSnooze(morningOf(readDay('tomorrow')!)) },
  { label: 'Next week', perform: () => onSnooze(morningOf(readDay('next week')!)) },
  { label: 'Until a date…', perform: onAsk },
];

interface DialogProps {
  onSnooze(until: Date): void;
  onClose(): void;
}

export function SnoozeDialog({ onSnooze, onClose }: DialogProps) {
  const [text, setText] = useState('');
  const day = readDay(text);
  const until = day && morningOf(day);
  const isAhead = until instanceof Date && until.getTime() > Date.now();
  const action = useAction(async () => {
    if (!isAhead) return;
    onSnooze(until);
    onClose();
  });
  return (
    <FormDialog
      title="Snooze until"
      submit="Snooze"
      action={action}
      disabled={!isAhead}
      guard="none"
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Day"
        required
        autoComplete="off"
        placeholder="fri, in 3 days, 12.3."
        hint={isAhead ? formatInstant(until.toISOString()) : 'The item returns in the morning as unread.'}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
