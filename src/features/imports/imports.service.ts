import type { MemberCaller } from '../../kernel/access.js';
import { actorIdsOf } from '../../kernel/actors.js';
import { CursorCodec } from '../../kernel/cursor.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Tx } from '../../platform/database/database.js';
import type { JobDefinition, JobResult } from '../../platform/jobs/jobs.js';
import {
  alreadyDone,
  couldNotBeRead,
  importNotFound,
  notACursor,
  stillReading,
  unknownAddress,
  unknownLogin,
  unknownState,
  unmappedStates,
} from './imports.errors.js';
import type { Import, ImportRowList, RowQuery, StartInput } from './imports.schemas.js';
import { CARD_IMPORT, createMakingService } from './making/making.service.js';
import type { Source } from './readers/record.js';
import { createHostReading } from './reading/host-reading.service.js';
import { createReadingService, HOST_IMPORT, MOST_PEOPLE } from './reading/reading.service.js';
import type { ImportOptions } from './record/imports.options.js';
import { type ImportRow, importStore } from './record/imports.store.js';
import { proposeTarget, readTarget, stateKey } from './record/states.js';

export type ImportService = ReturnType<typeof createImportService>;

type Columns = Awaited<ReturnType<ImportOptions['boards']['arrivals']['listColumns']>>;

export function createImportService(options: ImportOptions) {
  const { db, jobs, boards, cursorSecret } = options;
  const reading = createReadingService(options);
  const hostReading = createHostReading(options);
  const making = createMakingService(options);

  async function show({ brandId }: MemberCaller, importId: string): Promise<Import> {
    const found = await importStore(db, brandId).find(importId);
    if (!found) throw importNotFound();
    return shown(found, await boards.arrivals.listColumns(db, brandId, found.board_id));
  }

  async function readUsers(
    tx: Tx,
    { import_id, brand_id, board_id }: ImportRow,
    given: Record<string, string>,
  ): Promise<Record<string, string>> {
    const users = Object.entries(given).map(([login, email]): [string, string] => [
      login.trim().toLowerCase(),
      email.trim().toLowerCase(),
    ]);
    if (users.length === 0) return {};
    const named = await importStore(tx, brand_id).listPeople(import_id, MOST_PEOPLE);
    const known = new Set(named.flatMap(({ name, login }) => [name.toLowerCase(), login?.toLowerCase()]));
    const stranger = named.length < MOST_PEOPLE && users.find(([login]) => !known.has(login));
    if (stranger) throw unknownLogin(stranger[0]);
    const emails = users.map(([, email]) => email);
    const found = await boards.arrivals.findPeopleByMail(tx, brand_id, board_id, emails);
    const missing = emails.find((email) => !found.some((person) => person.email === email));
    if (missing !== undefined) throw unknownAddress(missing);
    return Object.fromEntries(users);
  }

  return {
    readExport: reading.readExport,

    permit: async (caller: MemberCaller, boardId: string): Promise<void> => {
      await boards.arrivals.openForArrivals(caller, boardId);
    },

    async conclude(caller: MemberCaller, boardId: string, importId: string, source: Source): Promise<Import> {
      await reading.conclude(caller, boardId, importId, source);
      return show(caller, importId);
    },

    async beginHostImport(caller: MemberCaller, boardId: string, projectId: string): Promise<Import> {
      return show(caller, await reading.beginHostImport(caller, boardId, projectId));
    },

    get: show,

    async listRows({ brandId }: MemberCaller, importId: string, query: RowQuery): Promise<ImportRowList> {
      const { status, cursor, limit } = query;
      const store = importStore(db, brandId);
      if (!(await store.find(importId))) throw importNotFound();
      const cursors = new CursorCodec(cursorSecret, `import:${importId}`);
      const after = cursor === undefined ? 0 : cursors.decode(cursor);
      if (typeof after !== 'number') throw notACursor();
      const found = await store.listRows(importId, { status, after, limit: limit + 1 });
      const rows = found.slice(0, limit);
      return {
        rows: rows.map((row) => ({
          row: row.seq,
          status: row.status,
          title: row.title,
          state: row.state,
          assignee: row.assignee,
          external_url: row.url,
          comments: row.comments,
          reason: row.reason,
          task: row.card_id,
        })),
        next_cursor: found.length > limit ? cursors.encode(rows.at(-1)!.seq) : null,
      };
    },

    /** Idempotent: a running import continues, and a failed one continues where it stopped. */
    async start(
      caller: MemberCaller,
      importId: string,
      { mapping = {}, users = {} }: StartInput,
    ): Promise<Import> {
      const { brandId } = caller;
      await inTransaction(db, async (tx) => {
        const store = importStore(tx, brandId);
        const locked = await store.lock(importId);
        if (!locked) throw importNotFound();
        const columns = await boards.arrivals.openForArrivals(caller, locked.board_id, tx);
        if (locked.status === 'reading') throw stillReading();
        if (locked.status === 'done') throw alreadyDone();
        if (locked.status === 'running') return;
        if (!locked.found.states) throw couldNotBeRead();
        await store.start(
          importId,
          decideMapping(locked, mapping, columns),
          { ...locked.users, ...(await readUsers(tx, locked, users)) },
          actorIdsOf(caller),
        );
        await jobs.trigger(tx, CARD_IMPORT);
      });
      return show(caller, importId);
    },

    async remove({ brandId }: MemberCaller, importId: string): Promise<void> {
      const store = importStore(db, brandId);
      if (!(await store.find(importId))) throw importNotFound();
      await store.remove(importId);
    },

    async makeCards(signal: AbortSignal): Promise<JobResult> {
      const made = await making.makeAll(signal);
      await making.sweep();
      return made;
    },

    readHosts: hostReading.readHosts,
  };
}

/** Throws when a state has no target, so that no card is created before every state has one. */
function decideMapping(
  { found, mapping: before }: ImportRow,
  given: Record<string, string>,
  columns: Columns,
): Record<string, string> {
  for (const to of Object.values(given)) if (!readTarget(to, columns)) throw unknownState(to);
  const said = new Map([
    ...Object.entries(before).map(([from, to]): [string, string] => [stateKey(from), to]),
    ...Object.entries(given).map(([from, to]): [string, string] => [stateKey(from), to]),
  ]);
  const decided = (found.states ?? []).map(({ name }) => ({
    name,
    to: said.get(stateKey(name)) ?? proposeTarget(name, columns),
  }));
  const missing = decided.flatMap(({ name, to }) => (to === null ? name : []));
  if (missing.length > 0) throw unmappedStates(missing);
  return Object.fromEntries(decided.map(({ name, to }) => [name, to!]));
}

const NOBODY = { matched: [], unmatched: [] };

const shown = (row: ImportRow, columns: Columns): Import => ({
  import_id: row.import_id,
  board_id: row.board_id,
  source: row.source,
  name: row.name,
  status: row.status,
  counts: row.counts,
  states: (row.found.states ?? []).map(({ name, cards }) => ({
    name,
    cards,
    to: Object.hasOwn(row.mapping, name) ? row.mapping[name]! : proposeTarget(name, columns),
  })),
  people: row.found.people ?? NOBODY,
  lost: row.found.lost ?? [],
  error: row.error,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
});

export const importJobs = (imports: Pick<ImportService, 'makeCards' | 'readHosts'>): JobDefinition[] => [
  {
    name: CARD_IMPORT,
    description: 'Creates the cards of imports.',
    // Each start also requests a run; the schedule resumes imports whose node died.
    schedule: { everySeconds: 30 },
    run: ({ signal }) => imports.makeCards(signal),
  },
  {
    name: HOST_IMPORT,
    description: 'Reads issues from repository hosts for imports.',
    schedule: { everySeconds: 30 },
    run: ({ signal }) => imports.readHosts(signal),
  },
];
