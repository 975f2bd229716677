import { newId } from '../../../kernel/ids.js';
import { keyOf, type NameFinder } from '../../../platform/http/request/names.js';
import type { BoardServiceOptions } from './board-access.js';
import { nameStore, type Ref } from './boards.store.js';

const REF = /^([a-z0-9]{1,20})-([1-9]\d{0,8})$/i;
const KEY = /^[a-z][a-z0-9]{0,19}$/i;

export const isRef = (text: string): boolean => REF.test(text);
export const isKey = (text: string): boolean => KEY.test(text);

export function readRef(text: string): Ref | undefined {
  const [, key, number] = REF.exec(text) ?? [];
  return key && number ? { key: key.toUpperCase(), number: Number(number) } : undefined;
}

const IS_NAME: Record<string, (text: string) => boolean> = { card: isRef, board: isKey };

/**
 * Resolves refs of cards and keys of boards in requests. An unknown ref becomes an unused id, so that it is
 * refused like an unknown id.
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
