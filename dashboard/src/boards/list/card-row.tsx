import { type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import type { Column } from '../../api/boards.js';
import { Link } from '../../shell/router.js';
import { Time } from '../../ui/display.js';
import { fieldUpdate } from '../selection/card-updates.js';
import type { ListedCard } from '../selection/listed-card.js';
import { type MarkActions, SelectMark } from '../selection/select-mark.js';
import { describeEstimate, type SubTasks } from '../sub-tasks.js';
import type { Directory } from '../use-directory.js';
import {
  DueField,
  OwnerField,
  PriorityField,
  type SetUpdate,
  StatusField,
  TitleInput,
} from './row-fields.js';

export interface RowParts<C extends ListedCard = ListedCard> {
  directory: Directory;
  addressOf(card: C): string;
  /** Runs before a card link is followed; call `preventDefault` to open the card another way. */
  onOpen(card: C, event: MouseEvent): void;
  canEdit(card: C): boolean;
  /** Whether the user may assign cards to agents. */
  agents: boolean;
  columns?: readonly Column[];
  subTasks?: ReadonlyMap<string, SubTasks>;
  actions: MarkActions;
  set: SetUpdate;
}

interface RowProps {
  card: ListedCard;
  selected: boolean;
  parts: RowParts;
}

export const CardRow = memo(function CardRow({ card, selected, parts }: RowProps) {
  const edit = parts.canEdit(card);
  const { set } = parts;
  const [naming, setNaming] = useState(false);
  const link = useRef<HTMLSpanElement>(null);
  const subTasks = parts.subTasks?.get(card.id);
  const row = useRef<HTMLDivElement>(null);
  // F2 is handled by the list, which knows only the row element and dispatches an event to it.
  useEffect(() => {
    const element = row.current;
    const begin = () => setNaming(true);
    element?.addEventListener(NAMING, begin);
    return () => element?.removeEventListener(NAMING, begin);
  }, []);

  function onClick(event: MouseEvent) {
    const isMarking = event.shiftKey || event.ctrlKey || event.metaKey;
    if (!isMarking || !edit) return parts.onOpen(card, event);
    event.preventDefault();
    parts.actions.mark(card.id, event.shiftKey);
  }
  return (
    <div
      className="list-row"
      ref={row}
      data-selected={selected || undefined}
      data-editable={edit || undefined}
    >
      {edit ? <SelectMark card={card} selected={selected} actions={parts.actions} /> : <span />}
      <span className="list-ref mono muted">{card.ref}</span>
      <span className="list-title" ref={link}>
        {naming ? (
          <TitleInput
            card={card}
            onDone={(title) => {
              setNaming(false);
              requestAnimationFrame(() => link.current?.querySelector('a')?.focus());
              if (title) set(card, (each) => fieldUpdate(each, 'title', title), `called “${title}”`);
            }}
          />
        ) : (
          <Link to={parts.addressOf(card)} data-title onClick={onClick} title={card.title}>
            {card.title}
          </Link>
        )}
        {card.labels.slice(0, 2).map((label) => (
          <span key={label} className="label-mark">
            {label}
          </span>
        ))}
        {subTasks && (
          <span className="small muted nowrap">
            {subTasks.done}/{subTasks.all}
            <span className="off-screen"> sub-tasks done</span>
          </span>
        )}
      </span>
      <span className="list-status">
        <StatusField card={card} edit={edit} set={set} columns={parts.columns} />
      </span>
      <span className="list-owner">
        <OwnerField card={card} edit={edit} set={set} directory={parts.directory} agents={parts.agents} />
      </span>
      <span className="list-priority">
        <PriorityField card={card} edit={edit} set={set} />
      </span>
      <span className="list-due">
        <DueField card={card} edit={edit} set={set} />
      </span>
      <span className="list-estimate muted">{describeEstimate(card)}</span>
      <span className="list-updated muted">
        <Time at={card.updated_at} />
      </span>
    </div>
  );
});

const NAMING = 'guildhall:name';

export const nameRow = (row: Element | null | undefined): void =>
  void row?.querySelector('.list-row[data-editable]')?.dispatchEvent(new Event(NAMING));
