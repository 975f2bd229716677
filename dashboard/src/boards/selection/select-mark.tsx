/** Shift takes all cards since the last one that was marked. */
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
        // The click knows of Shift, the change does not.
        onClick={(event) => deeds.mark(card.id, event.shiftKey)}
        onChange={() => {}}
      />
    </label>
  );
}
