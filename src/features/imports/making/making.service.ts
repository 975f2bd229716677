import { errorCode } from '../../../database/connection/database-errors.js';
import { inTransaction } from '../../../database/connection/transaction.js';
import type { Tx } from '../../../database/database.js';
import { newId } from '../../../kernel/ids.js';
import type { ArrivingCard } from '../../boards/boards.service.js';
import type { ImportOptions } from '../imports.options.js';
import { type ImportRow, importStore } from '../imports.store.js';
import { originOfKey } from '../readers/lineage.js';
import { readPlaceName } from '../states.js';
import {
  findImported,
  listOpenImports,
  type OpenImport,
  removeOldImports,
  turnStore,
  type WaitingRow,
} from '../turns.store.js';
import { cardOfRecord } from './card-of-record.js';

export const CARD_IMPORT = 'card-import';

/** Small enough that whoever else writes on the board hardly waits. */
const CARDS_A_TURN = 200;
const IMPORTS_AT_ONCE = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
const UNREAD_MS = 60 * 60 * 1000;

type Settled = {
  seq: number;
  status: 'made' | 'known' | 'unreadable';
  card_id: string | null;
  reason: string | null;
};
type Writer = Parameters<ImportOptions['boards']['arrivals']['addArrivals']>[2] & { byAdmin: boolean };

/** What is written is at fault, not the moment: it would fail again. */
const isRefusedByDatabase = (error: unknown): boolean => /^2[23]/.test(errorCode(error) ?? '');

/** Makes the cards of imports, turn by turn: each is one transaction, and whatever ends between two of them loses nothing. */
export function createMakingService({ db, clock, log, boards: { arrivals } }: ImportOptions) {
  /** What stands on the board already, by its origin or its address, is not made again. */
  async function parts(tx: Tx, { brand_id, board_id, source }: ImportRow, rows: WaitingRow[]) {
    const addressed = await arrivals.findCardsByAddress(
      tx,
      brand_id,
      board_id,
      rows.flatMap(({ record }) => record.url ?? []),
    );
    const fresh = rows.filter(({ record }) => !(record.url && addressed.has(record.url)));
    const parentOrigins = rows.flatMap(({ record, parent_card_id }) =>
      record.parent !== null && parent_card_id === null ? originOfKey(source, record.parent) : [],
    );
    const parents = await findImported(tx, brand_id, board_id, parentOrigins);
    const drafts = fresh.map((row) => ({ ...row, card_id: newId() }));
    const taken = await turnStore(tx, brand_id).takeOrigins(board_id, drafts, clock.now());
    const known = new Map([
      ...(await findImported(
        tx,
        brand_id,
        board_id,
        drafts.flatMap(({ origin }) => (taken.has(origin) ? [] : origin)),
      )),
      ...rows.flatMap(({ origin, record }): [string, string][] =>
        record.url && addressed.has(record.url) ? [[origin, addressed.get(record.url)!]] : [],
      ),
    ]);
    return { drafts: drafts.filter(({ origin }) => taken.has(origin)), known, parents };
  }

  async function makeCards(
    tx: Tx,
    open: ImportRow,
    rows: WaitingRow[],
    by: Writer,
  ): Promise<Settled[] | undefined> {
    const { brand_id, board_id, source, mapping } = open;
    const { drafts, known, parents } = await parts(tx, open, rows);
    const emails = drafts.flatMap(({ record: { assignee, reporter, comments } }) =>
      [assignee, reporter, ...comments.map(({ author }) => author)].flatMap(
        (someone) => someone?.email ?? [],
      ),
    );
    const found = await arrivals.findPeopleByMail(tx, brand_id, board_id, [...new Set(emails)]);
    const columns = await arrivals.listColumns(tx, brand_id, board_id);
    // Rows come in an order in which a parent stands before its children, also within one turn.
    const ownIds = new Map(drafts.map(({ seq, card_id }) => [seq, card_id]));
    const knownIds = new Map(rows.map(({ seq, origin }) => [seq, known.get(origin)]));
    const parentOf = ({ record, parent_seq, parent_card_id }: WaitingRow): string | null => {
      if (parent_card_id !== null) return parent_card_id;
      if (parent_seq !== null) return ownIds.get(parent_seq) ?? knownIds.get(parent_seq) ?? null;
      return record.parent === null ? null : (parents.get(originOfKey(source, record.parent)) ?? null);
    };
    const own = new Set(drafts.map(({ card_id }) => card_id));
    const held = await arrivals.holdCards(
      tx,
      brand_id,
      board_id,
      drafts.flatMap((row) => parentOf(row) ?? []).filter((id) => !own.has(id)),
    );
    const making = {
      source,
      by,
      byAdmin: by.byAdmin,
      people: new Map(found.map((person) => [person.email, person])),
      places: new Map(
        Object.entries(mapping).map(([from, to]): [string, ArrivingCard['place']] => [
          from,
          readPlaceName(to, columns),
        ]),
      ),
      now: clock.now(),
    };
    const cards = drafts.map((row) => {
      const parentId = parentOf(row);
      const stands = parentId !== null && (own.has(parentId) || held.has(parentId));
      return cardOfRecord(row.record, { cardId: row.card_id, parentId: stands ? parentId : null }, making);
    });
    if (!(await arrivals.addArrivals(tx, brand_id, by, board_id, cards))) return undefined;
    return rows.map(({ seq, origin }): Settled => {
      const card_id = ownIds.get(seq);
      return card_id
        ? { seq, status: 'made', card_id, reason: null }
        : { seq, status: 'known', card_id: known.get(origin) ?? null, reason: 'It came before' };
    });
  }

  /** One turn: whether anything is left to be done. */
  async function turn(
    { import_id, brand_id }: OpenImport,
    most: number,
  ): Promise<{ made: number; more: boolean }> {
    return inTransaction(db, async (tx) => {
      const store = importStore(tx, brand_id);
      const turns = turnStore(tx, brand_id);
      const open = await turns.claim(import_id);
      if (!open) return { made: 0, more: false };
      const rows = await turns.takeRows(import_id, most);
      if (rows.length === 0) {
        await store.end(import_id, 'done', null, clock.now());
        return { made: 0, more: false };
      }
      const person =
        open.created_by === null
          ? undefined
          : await arrivals.findMember(tx, brand_id, open.created_by, open.created_by_agent);
      if (!person) {
        await store.end(
          import_id,
          'failed',
          'Whoever began it has left the workspace; start it again',
          clock.now(),
        );
        return { made: 0, more: false };
      }
      const by = {
        userId: open.created_by!,
        agentId: open.created_by_agent,
        person: person.person,
        agent: person.agent ?? open.created_by_agent,
        byAdmin: person.role === 'admin',
      };
      if (!(await arrivals.holdBoard(tx, brand_id, open.board_id, by.userId)))
        return { made: 0, more: false };
      const settled = await makeCards(tx, open, rows, by);
      if (!settled) return { made: 0, more: false };
      await turns.settle(import_id, settled);
      const count = (status: Settled['status']) => settled.filter((row) => row.status === status).length;
      const counts = { made: count('made'), known: count('known'), unreadable: 0 };
      await store.noteCounts(import_id, counts);
      return { made: counts.made, more: true };
    });
  }

  /** The row that cannot become a card is set aside; the others need not wait for it. */
  async function setAside({ import_id, brand_id }: OpenImport): Promise<void> {
    await inTransaction(db, async (tx) => {
      const turns = turnStore(tx, brand_id);
      if (!(await turns.claim(import_id))) return;
      const [first] = await turns.takeRows(import_id, 1);
      if (!first) return;
      const reason = 'The service could not make a card of it';
      await turns.settle(import_id, [{ seq: first.seq, status: 'unreadable', card_id: null, reason }]);
      await importStore(tx, brand_id).noteCounts(import_id, { made: 0, known: 0, unreadable: 1 });
    });
  }

  /** A turn; where one of its cards cannot be written, card by card until that one is found. */
  async function turnCarefully(open: OpenImport): Promise<{ made: number; more: boolean }> {
    try {
      return await turn(open, CARDS_A_TURN);
    } catch (error) {
      if (!isRefusedByDatabase(error)) throw error;
      log.warn({ err: error, import_id: open.import_id }, 'A card of an import cannot be written');
    }
    let made = 0;
    for (let count = 0; count < CARDS_A_TURN; count += 1) {
      try {
        const done = await turn(open, 1);
        made += done.made;
        if (!done.more) return { made, more: false };
      } catch (error) {
        if (!isRefusedByDatabase(error)) throw error;
        await setAside(open);
      }
    }
    return { made, more: true };
  }

  return {
    /** Works off what is being made, in turns: a large import keeps a small one waiting for a moment only. */
    async makeAll(signal: AbortSignal): Promise<{ processed: number; failed: number }> {
      let [processed, failed] = [0, 0];
      let open = await listOpenImports(db, 'running', clock.now(), IMPORTS_AT_ONCE);
      while (open.length > 0 && !signal.aborted) {
        const going: OpenImport[] = [];
        for (const each of open) {
          if (signal.aborted) break;
          try {
            const { made, more } = await turnCarefully(each);
            processed += made;
            if (more) going.push(each);
          } catch (error) {
            failed += 1;
            log.error({ err: error, import_id: each.import_id }, 'A turn of an import failed');
          }
        }
        open = going;
      }
      return { processed, failed };
    },

    sweep: (): Promise<number> => {
      const now = clock.now().getTime();
      return removeOldImports(db, { before: new Date(now - KEPT_MS), unread: new Date(now - UNREAD_MS) });
    },
  };
}
