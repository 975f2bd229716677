import { takeTurns } from '../../../kernel/event-loop.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { LOSSES, type Source } from '../readers/record.js';
import { originOfKey } from '../readers/row-links.js';
import { findImportedCards } from '../record/batches.store.js';
import type { ImportOptions } from '../record/imports.options.js';
import { type Found, importStore, type NewRow } from '../record/imports.store.js';
import type { FoundRow } from './reader-thread.js';

export const MOST_PEOPLE = 2000;
const MOST_SHOWN = 200;
const MOST_LOSSES = 100;
/** References of rows beyond count as not imported. */
const MOST_LOOKED_UP = 2000;
export const MOST_STATES = 200;

interface Place {
  brandId: number;
  boardId: string;
  importId: string;
}

/** Cards that refer to something that is neither in this import nor in an earlier one. */
async function countUnlinked(
  db: Db | Tx,
  { brandId, boardId, importId }: Place,
  source: Source,
): Promise<number> {
  const { rows, total } = await importStore(db, brandId).listMissing(importId, MOST_LOOKED_UP);
  const otherTurns = takeTurns();
  const origins = new Map<string, string>();
  for (const { keys } of rows) {
    await otherTurns();
    for (const key of keys) origins.set(key, originOfKey(source, key));
  }
  const imported = await findImportedCards(db, brandId, boardId, [...new Set(origins.values())]);
  const isLinked = ({ keys }: { keys: string[] }) => keys.every((key) => imported.has(origins.get(key)!));
  return total - rows.filter(isLinked).length;
}

async function listLost(db: Db | Tx, place: Place, source: Source): Promise<Found['lost']> {
  const lost = await importStore(db, place.brandId).listLost(place.importId, MOST_LOSSES);
  const cards = await countUnlinked(db, place, source);
  return cards === 0 ? lost : [...lost, { what: LOSSES.links, cards }];
}

/** Stores rows as they are read, and summarizes them afterwards. */
export function createRowStorage({ boards: { arrivals } }: Pick<ImportOptions, 'boards'>) {
  return {
    async saveRows(
      db: Db | Tx,
      { brandId, boardId, importId }: Place,
      found: readonly FoundRow[],
    ): Promise<void> {
      const records = found.flatMap((row) => ('record' in row ? row : []));
      const imported = await findImportedCards(
        db,
        brandId,
        boardId,
        records.map(({ origin }) => origin),
      );
      const addressed = await arrivals.findCardsByAddress(
        db,
        brandId,
        boardId,
        records.flatMap(({ record }) => record.url ?? []),
      );
      const rows = found.map((row): NewRow => {
        if ('reason' in row)
          return {
            seq: row.row,
            status: 'unreadable',
            origin: null,
            record: null,
            reason: row.reason,
            card_id: null,
          };
        const { record, origin, sameAs } = row;
        const card_id = imported.get(origin) ?? (record.url && addressed.get(record.url)) ?? null;
        const stored = { seq: row.row, origin, record };
        if (card_id) return { ...stored, status: 'known', reason: 'It came before', card_id };
        if (sameAs !== undefined)
          return { ...stored, status: 'known', reason: `It is the same as row ${sameAs}`, card_id: null };
        return { ...stored, status: 'new', reason: null, card_id: null };
      });
      await importStore(db, brandId).addRows(importId, rows);
    },

    /** States, people and losses of the new rows. */
    async summarize(db: Db | Tx, { brandId, boardId, importId }: Place, source: Source): Promise<Found> {
      const store = importStore(db, brandId);
      const states = await store.listStates(importId, MOST_STATES + 1);
      const named = await store.listPeople(importId, MOST_PEOPLE);
      const emails = named.flatMap(({ email }) => email ?? []);
      const known = new Map(
        (await arrivals.findPeopleByMail(db, brandId, boardId, emails)).map((person) => [
          person.email,
          person,
        ]),
      );
      const matched = named.flatMap(({ email }) => {
        const person = email === null ? undefined : known.get(email);
        return person ? [{ name: person.full_name, email: person.email, user_id: person.user_id }] : [];
      });
      const unmatched = named.flatMap(({ name, login, email }) =>
        email !== null && known.has(email) ? [] : (login ?? name) || email || [],
      );
      return {
        states,
        lost: await listLost(db, { brandId, boardId, importId }, source),
        people: {
          matched: matched.slice(0, MOST_SHOWN),
          unmatched: [...new Set(unmatched)].slice(0, MOST_SHOWN),
        },
      };
    },
  };
}
