import { newId } from '../../../kernel/ids.js';
import { keyOf, type NameFinder } from '../../../platform/http/request/names.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { isKey, isRef, nameStore, readRef } from './names.store.js';

const IS_NAME: Record<string, (text: string) => boolean> = { card: isRef, board: isKey };

/**
 * Cards by their refs and boards by their keys, wherever a request names one. A ref that no card has gets an id that no card
 * has, so that it is refused like a missing id. Any word could be a key, so a key that no board has is left to be judged.
 */
export const createNames = ({ db }: Pick<BoardServiceOptions, 'db'>): NameFinder => ({
  isName: (kind, text) => IS_NAME[kind]?.(text) ?? false,

  async find(brandId, names) {
    const of = (kind: string) => names.filter((name) => name.kind === kind).map(({ text }) => text);
    const refs = of('card').flatMap((text) => readRef(text) ?? []);
    const found = await nameStore(db, brandId).find(refs, of('board'));
    return new Map([
      ...of('card').map((text) => [keyOf('card', text), newId()] as const),
      ...found.map(
        ({ key, number, id }) =>
          [number === null ? keyOf('board', key) : keyOf('card', `${key}-${number}`), id] as const,
      ),
    ]);
  },
});
