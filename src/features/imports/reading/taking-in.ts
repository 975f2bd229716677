import type { Db, Tx } from '../../../database/database.js';
import type { ImportOptions } from '../imports.options.js';
import { type Found, importStore, type NewRow } from '../imports.store.js';
import { findImported } from '../turns.store.js';
import type { FoundRow } from './reader.js';

const MOST_PEOPLE = 2000;
const MOST_SHOWN = 200;
export const MOST_STATES = 200;

interface Place {
  brandId: number;
  boardId: string;
  importId: string;
}

/** Keeps what was read, row by row, and tells afterwards what it comes to. */
export function createTakingIn({ boards: { arrivals } }: Pick<ImportOptions, 'boards'>) {
  return {
    async takeRows(
      db: Db | Tx,
      { brandId, boardId, importId }: Place,
      found: readonly FoundRow[],
    ): Promise<void> {
      const records = found.flatMap((row) => ('record' in row ? row : []));
      const imported = await findImported(
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
        const kept = { seq: row.row, origin, record };
        if (card_id) return { ...kept, status: 'known', reason: 'It came before', card_id };
        if (sameAs !== undefined)
          return { ...kept, status: 'known', reason: `It is the same as row ${sameAs}`, card_id: null };
        return { ...kept, status: 'new', reason: null, card_id: null };
      });
      await importStore(db, brandId).addRows(importId, rows);
    },

    /** States and people of what is new. */
    async sumUp(db: Db | Tx, { brandId, boardId, importId }: Place): Promise<Found> {
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
      const unmatched = named.flatMap(({ name, email }) =>
        email !== null && known.has(email) ? [] : ((name || email) ?? []),
      );
      return {
        states,
        people: {
          matched: matched.slice(0, MOST_SHOWN),
          unmatched: [...new Set(unmatched)].slice(0, MOST_SHOWN),
        },
      };
    },
  };
}
