import { newId } from '../../../kernel/ids.js';
import { errorCode } from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { runRoundRobin } from '../../../platform/jobs/batches.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import type { ArrivingCard } from '../../boards/index.js';
import { type ImportRecord, personKey, type Someone } from '../readers/record.js';
import { originOfKey } from '../readers/row-links.js';
import {
  batchStore,
  findImportedCards,
  type OpenImport,
  openImports,
  removeOldImports,
  type WaitingRow,
} from '../record/batches.store.js';
import type { ImportOptions } from '../record/imports.options.js';
import { type ImportRow, importStore } from '../record/imports.store.js';
import { readTarget } from '../record/states.js';
import { cardOfRecord } from './card-of-record.js';

export const CARD_IMPORT = 'card-import';

/** Keeps transactions short, so that other writes to the board hardly wait. */
const CARDS_PER_BATCH = 200;
/** How many imports of one workspace are listed at a time, longest waiting first. */
const IMPORTS_AT_ONCE = 50;
const WORKSPACES_AT_ONCE = 2;
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
const UNREAD_MS = 60 * 60 * 1000;

type RowResult = {
  seq: number;
  status: 'made' | 'known' | 'unreadable';
  card_id: string | null;
  reason: string | null;
};
type Writer = Parameters<ImportOptions['boards']['arrivals']['addArrivals']>[2] & { byAdmin: boolean };

const peopleOf = ({ assignee, reporter, others, watchers, comments }: ImportRecord) => [
  assignee,
  reporter,
  ...others,
  ...watchers,
  ...comments.map(({ author }) => author),
];

/** Returns a person's own address, or else the address that their login or name is mapped to. */
const emailReader =
  (users: Record<string, string>) =>
  (someone: Someone | null): string | null => {
    if (!someone) return null;
    const keys = [personKey(someone), someone.name.toLowerCase()];
    return (
      someone.email ??
      keys.map((key) => (Object.hasOwn(users, key) ? users[key]! : null)).find(Boolean) ??
      null
    );
  };

/** SQLSTATE classes 22 and 23: the data is at fault, so a retry would fail again. */
const isRefusedByDatabase = (error: unknown): boolean => /^2[23]/.test(errorCode(error) ?? '');

/** Creates cards in batches of one transaction each, so that a crash loses nothing. */
export function createMakingService({ db, clock, log, boards: { arrivals } }: ImportOptions) {
  async function splitRows(tx: Tx, { brand_id, board_id, source }: ImportRow, rows: WaitingRow[]) {
    const addressed = await arrivals.findCardsByAddress(
      tx,
      brand_id,
      board_id,
      rows.flatMap(({ record }) => record.url ?? []),
    );
    const fresh = rows.filter(({ record }) => !(record.url && addressed.has(record.url)));
    const keys = [
      ...new Set(
        rows.flatMap(({ missing_links, parent_seq, record: { parent } }) => [
          ...missing_links,
          ...(parent_seq === null && parent !== null ? [parent] : []),
        ]),
      ),
    ];
    const origins = keys.map((key): [string, string] => [key, originOfKey(source, key)]);
    const imported = await findImportedCards(
      tx,
      brand_id,
      board_id,
      origins.map(([, origin]) => origin),
    );
    const before = new Map(
      origins.flatMap(([key, origin]): [string, string][] =>
        imported.has(origin) ? [[key, imported.get(origin)!]] : [],
      ),
    );
    const drafts = fresh.map((row) => ({ ...row, card_id: newId() }));
    const taken = await batchStore(tx, brand_id).takeOrigins(board_id, drafts, clock.now());
    const known = new Map([
      ...(await findImportedCards(
        tx,
        brand_id,
        board_id,
        drafts.flatMap(({ origin }) => (taken.has(origin) ? [] : origin)),
      )),
      ...rows.flatMap(({ origin, record }): [string, string][] =>
        record.url && addressed.has(record.url) ? [[origin, addressed.get(record.url)!]] : [],
      ),
    ]);
    return { drafts: drafts.filter(({ origin }) => taken.has(origin)), known, before };
  }

  async function makeCards(
    tx: Tx,
    open: ImportRow,
    rows: WaitingRow[],
    by: Writer,
  ): Promise<RowResult[] | undefined> {
    const { brand_id, board_id, source, mapping, users } = open;
    const { drafts, known, before } = await splitRows(tx, open, rows);
    const emailOf = emailReader(users);
    const emails = drafts.flatMap(({ record }) =>
      peopleOf(record).flatMap((someone) => emailOf(someone) ?? []),
    );
    const found = await arrivals.findPeopleByMail(tx, brand_id, board_id, [...new Set(emails)]);
    const people = new Map(found.map((person) => [person.email, person]));
    const columns = await arrivals.listColumns(tx, brand_id, board_id);
    // Parents come before their children, also within one batch.
    const ownIds = new Map(drafts.map(({ seq, card_id }) => [seq, card_id]));
    const knownIds = new Map(rows.map(({ seq, origin }) => [seq, known.get(origin)]));
    const blockerSeqs = [...new Set(drafts.flatMap(({ blocker_seqs }) => blocker_seqs))];
    const madeIds = await batchStore(tx, brand_id).findCards(open.import_id, blockerSeqs);
    const cardOf = (seq: number): string | null =>
      ownIds.get(seq) ?? knownIds.get(seq) ?? madeIds.get(seq) ?? null;
    const linksOf = (row: WaitingRow) => {
      const { record, parent_seq, parent_card_id, blocker_seqs, missing_links } = row;
      const above = parent_card_id ?? (parent_seq === null ? null : cardOf(parent_seq));
      return {
        parentId: above ?? (record.parent === null ? null : (before.get(record.parent) ?? null)),
        blockerIds: [
          ...blocker_seqs.flatMap((seq) => cardOf(seq) ?? []),
          ...missing_links.flatMap((key) => (key === record.parent ? [] : (before.get(key) ?? []))),
        ],
      };
    };
    const own = new Set(drafts.map(({ card_id }) => card_id));
    const links = new Map(drafts.map((row) => [row.seq, linksOf(row)]));
    const named = [...links.values()].flatMap(({ parentId, blockerIds }) =>
      [parentId ?? [], blockerIds].flat(),
    );
    const locked = await arrivals.holdCards(
      tx,
      brand_id,
      board_id,
      [...new Set(named)].filter((id) => !own.has(id)),
    );
    const exists = (id: string) => own.has(id) || locked.has(id);
    const context = {
      source,
      by,
      byAdmin: by.byAdmin,
      find: (someone: Someone | null) => people.get(emailOf(someone) ?? ''),
      places: new Map(
        Object.entries(mapping).map(([from, to]): [string, ArrivingCard['place']] => [
          from,
          readTarget(to, columns),
        ]),
      ),
      now: clock.now(),
    };
    const cards = drafts.map(({ seq, card_id, record, missing_links }) => {
      const { parentId, blockerIds } = links.get(seq)!;
      const parent = parentId !== null && exists(parentId) ? parentId : null;
      return cardOfRecord(
        record,
        {
          cardId: card_id,
          parentId: parent,
          blockerIds: [...new Set(blockerIds)].filter((id) => exists(id) && id !== card_id),
          unlinkedParent: parent === null ? record.parent : null,
          unlinkedBlockers: missing_links.filter(
            (key) => key !== record.parent && !exists(before.get(key) ?? ''),
          ),
        },
        context,
      );
    });
    if (!(await arrivals.addArrivals(tx, brand_id, by, board_id, cards))) return undefined;
    return rows.map(({ seq, origin }): RowResult => {
      const card_id = ownIds.get(seq);
      return card_id
        ? { seq, status: 'made', card_id, reason: null }
        : { seq, status: 'known', card_id: known.get(origin) ?? null, reason: 'Imported before' };
    });
  }

  async function makeBatch(
    { import_id, brand_id }: OpenImport,
    most: number,
  ): Promise<{ made: number; more: boolean }> {
    return inTransaction(db, async (tx) => {
      const store = importStore(tx, brand_id);
      const batches = batchStore(tx, brand_id);
      const open = await batches.claim(import_id);
      if (!open) return { made: 0, more: false };
      const rows = await batches.takeRows(import_id, most);
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
          'The person who started this import has left the workspace. Start it again',
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
      const results = await makeCards(tx, open, rows, by);
      if (!results) return { made: 0, more: false };
      await batches.saveResults(import_id, results);
      const count = (status: RowResult['status']) => results.filter((row) => row.status === status).length;
      const counts = { made: count('made'), known: count('known'), unreadable: 0 };
      await store.addCounts(import_id, counts);
      return { made: counts.made, more: true };
    });
  }

  async function skipBadRow({ import_id, brand_id }: OpenImport): Promise<void> {
    await inTransaction(db, async (tx) => {
      const batches = batchStore(tx, brand_id);
      if (!(await batches.claim(import_id))) return;
      const [first] = await batches.takeRows(import_id, 1);
      if (!first) return;
      const reason = 'The card could not be created';
      await batches.saveResults(import_id, [{ seq: first.seq, status: 'unreadable', card_id: null, reason }]);
      await importStore(tx, brand_id).addCounts(import_id, { made: 0, known: 0, unreadable: 1 });
    });
  }

  /** If a card is rejected, creates the cards singly to find and skip that one. */
  async function makeBatchWithoutBadRows(open: OpenImport): Promise<{ made: number; more: boolean }> {
    try {
      return await makeBatch(open, CARDS_PER_BATCH);
    } catch (error) {
      if (!isRefusedByDatabase(error)) throw error;
      log.warn({ err: error, import_id: open.import_id }, 'A card of an import cannot be written');
    }
    let made = 0;
    for (let count = 0; count < CARDS_PER_BATCH; count += 1) {
      try {
        const done = await makeBatch(open, 1);
        made += done.made;
        if (!done.more) return { made, more: false };
      } catch (error) {
        if (!isRefusedByDatabase(error)) throw error;
        await skipBadRow(open);
      }
    }
    return { made, more: true };
  }

  return {
    /** Alternates between workspaces and imports, so that a large import does not delay a small one. */
    async makeAll(signal: AbortSignal): Promise<JobResult> {
      const result = { processed: 0, failed: 0 };
      /** Imports that are done, claimed by another node or failed: skipped for the rest of this run. */
      const passedOver: string[] = [];
      const turnOf = new Map<string, number>();
      let turns = 0;
      await runRoundRobin<OpenImport>({
        atOnce: WORKSPACES_AT_ONCE,
        signal,
        claimNext: async (place) => {
          const open = await openImports(db).listRunning(place, passedOver, IMPORTS_AT_ONCE);
          const lastTurn = ({ import_id }: OpenImport) => turnOf.get(import_id) ?? 0;
          return open.toSorted((one, other) => lastTurn(one) - lastTurn(other))[0];
        },
        work: async (open) => {
          turns += 1;
          turnOf.set(open.import_id, turns);
          try {
            const { made, more } = await makeBatchWithoutBadRows(open);
            result.processed += made;
            if (!more) passedOver.push(open.import_id);
          } catch (error) {
            result.failed += 1;
            passedOver.push(open.import_id);
            log.error({ err: error, import_id: open.import_id }, 'An import failed');
          }
        },
      });
      return result;
    },

    sweep: (): Promise<number> => {
      const now = clock.now().getTime();
      return removeOldImports(db, { before: new Date(now - KEPT_MS), unread: new Date(now - UNREAD_MS) });
    },
  };
}
