/** With Shift, selects every card since the last selected one. */
export interface MarkActions {
  mark(cardId: string, range: boolean): void;
}

interface MarkProps {
  card: { id: string; ref: string };
  selected: boolean;
  actions: MarkActions;
}

export function SelectMark({ card, selected, actions }: MarkProps) {
  return (
    <label className="select-mark">
      <input
        type="checkbox"
        aria-label={`Select ${card.ref}`}
        checked={selected}
        // Only the click event carries the Shift key; the change event does not.
        onClick={(event) => actions.mark(card.id, event.shiftKey)}
        onChange={() => {}}
      />
    </label>
  );
}
