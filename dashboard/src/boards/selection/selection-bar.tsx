import { PRIORITIES, STATUSES, type Status } from '../../api/boards.js';
import { Button, IconButton } from '../../ui/button.js';
import { PriorityMark } from '../../ui/card-marks.js';
import { countOf, sentence } from '../../ui/display.js';
import { CloseIcon } from '../../ui/icons.js';
import { Picker } from '../../ui/picker.js';
import { DuePicker } from '../due-picker.js';
import { OwnerPicker } from '../owner-picker.js';
import type { Directory } from '../use-directory.js';
import { fieldUpdate, labelUpdate, statusUpdate } from './card-updates.js';
import type { CardUpdate, ListedCard } from './listed-card.js';
import type { ChangeCards } from './use-batch.js';
import type { Selection } from './use-selection.js';

interface BarProps {
  cards: readonly ListedCard[];
  selection: Selection;
  directory: Directory;
  labels: readonly string[];
  /** Whether the user may assign cards to agents. */
  agents: boolean;
  change: ChangeCards;
  /** Maps a status to a column where columns are known. */
  onStatus?(card: ListedCard, status: Status): CardUpdate | undefined;
}

const CHIP = 'chip';

export function SelectionBar(props: BarProps) {
  const { cards, selection, directory, labels, agents, change, onStatus = statusUpdate } = props;
  if (cards.length === 0) return null;
  const set = (updateOf: (card: ListedCard) => CardUpdate | undefined, words: string) =>
    void change(cards, updateOf, words);
  const archived = cards.every((card) => card.archived);
  return (
    <section className="selection-bar" aria-label="Selected cards">
      <span className="selection-count" role="status">
        {countOf(cards.length, 'card')} selected
      </span>
      <div className="selection-actions">
        <Picker
          label="Status of the selected cards"
          className={CHIP}
          options={STATUSES.map((id) => ({ id, label: sentence(id) }))}
          chosen={sharedBy(cards, ({ status }) => [status])}
          onPick={(id) => set((card) => onStatus(card, id as Status), `status ${sentence(id).toLowerCase()}`)}
        >
          Status
        </Picker>
        <OwnerPicker
          label="Assignee of the selected cards"
          className={CHIP}
          directory={directory}
          agents={agents}
          onPick={({ updateOf, words }) => set(updateOf, words)}
        >
          Assignee
        </OwnerPicker>
        <LabelsPicker cards={cards} labels={labels} set={set} />
        <Picker
          label="Priority of the selected cards"
          className={CHIP}
          options={PRIORITIES.map((id) => ({
            id,
            label: sentence(id),
            icon: <PriorityMark priority={id} always />,
          }))}
          chosen={sharedBy(cards, ({ priority }) => [priority])}
          onPick={(id) => set((card) => fieldUpdate(card, 'priority', id), `priority ${id}`)}
        >
          Priority
        </Picker>
        <DuePicker
          label="Due date of the selected cards"
          className={CHIP}
          onPick={(dueAt, words) => set((card) => fieldUpdate(card, 'due_at', dueAt), words)}
        >
          Due date
        </DuePicker>
        <Button
          small
          onClick={() =>
            set(
              (card) => fieldUpdate(card, 'archived', !archived),
              archived ? 'moved back to the board' : 'archived',
            )
          }
        >
          {archived ? 'Restore' : 'Archive'}
        </Button>
      </div>
      <IconButton label="Select nothing" onClick={selection.clear}>
        <CloseIcon size={16} />
      </IconButton>
    </section>
  );
}

interface LabelsProps {
  cards: readonly ListedCard[];
  labels: readonly string[];
  set(updateOf: (card: ListedCard) => CardUpdate | undefined, words: string): void;
}

/** Choosing a label that all selected cards have removes it; any other label is added to all of them. */
function LabelsPicker({ cards, labels, set }: LabelsProps) {
  const shared = sharedBy(cards, (card) => card.labels);
  const known = [...new Set([...labels, ...cards.flatMap((card) => card.labels)])].sort();
  const add = (label: string) => set((card) => labelUpdate(card, label, true), `label ${label} added`);
  const remove = (label: string) => set((card) => labelUpdate(card, label, false), `label ${label} removed`);
  const having = (label: string) => cards.filter((card) => card.labels.includes(label)).length;
  return (
    <Picker
      label="Labels of the selected cards"
      className={CHIP}
      options={known.map((id) => {
        const some = having(id);
        return { id, label: id, ...(some > 0 && some < cards.length && { hint: `on ${some}` }) };
      })}
      chosen={shared}
      onPick={(label) => (shared.includes(label) ? remove(label) : add(label))}
      onAdd={add}
    >
      Labels
    </Picker>
  );
}

function sharedBy(cards: readonly ListedCard[], valuesOf: (card: ListedCard) => readonly string[]): string[] {
  const [first, ...others] = cards;
  return first
    ? valuesOf(first).filter((value) => others.every((card) => valuesOf(card).includes(value)))
    : [];
}
