import { useState } from 'react';
import { type FullCard, readCard, searchCards } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { Picker } from '../ui/picker.js';
import { useSettled } from '../ui/settled.js';
import type { Rights } from './board-rights.js';
import { Row, type SetField } from './card-field-row.js';
import type { BoardHandle } from './use-board.js';

interface LinksProps {
  card: FullCard;
  set: SetField;
  rights: Rights;
  handle: BoardHandle;
  onOpen(cardId: string): void;
}

export function CardLinks({ card, set, rights, handle, onOpen }: LinksProps) {
  const link = (id: string) => (
    <CardLink key={id} cardId={id} handle={handle} onOpen={onOpen} boardId={card.board_id} />
  );
  const setBlockers = (blocked_by: string[], words: string) => set({ blocked_by }, { blocked_by }, words);
  return (
    <>
      {(rights.edit || card.parent_id) && (
        <Row name="Part of" field="parent">
          {card.parent_id && link(card.parent_id)}
          {rights.edit && (
            <CardPicker
              label="Part of"
              words={card.parent_id ? 'Change' : 'Choose a card'}
              selfId={card.id}
              chosen={card.parent_id ? [card.parent_id] : []}
              onPick={(id, ref) => {
                const parent_id = id === card.parent_id ? null : id;
                set({ parent_id }, { parent_id }, parent_id ? `part of ${ref}` : `no longer part of ${ref}`);
              }}
            />
          )}
        </Row>
      )}
      {(rights.edit || card.blocked_by.length > 0) && (
        <Row name="Waits for" field="blocked_by">
          {card.blocked_by.map(link)}
          {rights.edit && (
            <CardPicker
              label="Waits for"
              words={card.blocked_by.length > 0 ? 'Change' : 'Choose cards'}
              selfId={card.id}
              chosen={card.blocked_by}
              multiple
              onPick={(id, ref) =>
                card.blocked_by.includes(id)
                  ? setBlockers(
                      card.blocked_by.filter((each) => each !== id),
                      `no longer waits for ${ref}`,
                    )
                  : setBlockers([...card.blocked_by, id], `waits for ${ref}`)
              }
            />
          )}
        </Row>
      )}
      {card.blocks.length > 0 && (
        <Row name="Blocks" field="blocks">
          {card.blocks.map(link)}
        </Row>
      )}
      {card.child_ids.length > 0 && (
        <Row name="Parts" field="children">
          {card.child_ids.map(link)}
        </Row>
      )}
    </>
  );
}

interface LinkProps {
  cardId: string;
  boardId: string;
  handle: BoardHandle;
  onOpen(cardId: string): void;
}

/** Uses the card from the board, or loads it when it is on another board. */
function CardLink({ cardId, boardId, handle, onOpen }: LinkProps) {
  const tile = handle.find(cardId);
  const read = useResource(tile ? null : `card:${cardId}`, (signal) => readCard(cardId, signal));
  const card = tile ?? read.data;
  const other = !tile && read.data && read.data.board_id !== boardId ? read.data.board_id : undefined;
  const name = (
    <>
      <span className="mono">{card?.ref ?? '…'}</span> {card?.title}
    </>
  );
  if (!card) return <span className="card-link muted">{read.fault ? 'A card you cannot open' : '…'}</span>;
  if (other)
    return (
      <a className="card-link" href={`/dashboard/boards/${other}?card=${cardId}`}>
        {name}
      </a>
    );
  return (
    <button type="button" className="text-button card-link" onClick={() => onOpen(cardId)}>
      {name}
    </button>
  );
}

interface CardPickerProps {
  label: string;
  words: string;
  selfId: string;
  chosen: string[];
  multiple?: boolean;
  onPick(cardId: string, ref: string): void;
}

/** Searches the cards of all boards by text or reference after a pause in typing. */
function CardPicker({ label, words, selfId, chosen, multiple, onPick }: CardPickerProps) {
  const [text, setText] = useState<string>();
  const q = useSettled((text ?? '').trim());
  const found = useResource(
    text === undefined ? null : `found-cards:${q}`,
    (signal) => searchCards(q, signal),
    {
      keep: true,
    },
  );
  const items = (found.data?.items ?? []).filter(({ id }) => id !== selfId);
  return (
    <span onClickCapture={() => setText((known) => known ?? '')}>
      <Picker
        label={label}
        className="text-button small"
        multiple={multiple}
        options={items.map(({ id, ref, title }) => ({ id, label: title, hint: ref }))}
        chosen={chosen}
        onType={setText}
        onPick={(id) => onPick(id, items.find((item) => item.id === id)?.ref ?? 'the card')}
      >
        {words}
      </Picker>
    </span>
  );
}
