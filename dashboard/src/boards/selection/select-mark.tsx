/** With Shift, selects every card since the last selected one. */
export interface MarkDeeds {
  mark(cardId: string, range: boolean): void;
}

interface MarkProps {
  card: { id: string; ref: string };
  selected: boolean;
  deeds: MarkDeeds;
}

export function SelectMark({ card, selected, deeds }: MarkProps) {
  return (
    <label className="select-mark">
      <input
        type="checkbox"
        aria-label={`Select ${card.ref}`}
        checked={selected}
        // Only the click event carries the Shift key; the change event does not.
        onClick={(event) => deeds.mark(card.id, event.shiftKey)}
        onChange={() => {}}
      />
    </label>
  );
}
