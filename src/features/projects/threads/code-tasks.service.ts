import type { MessagePort } from 'node:worker_threads';
import { advance } from '../../../code/graph/advance.js';
import { foldersAbove } from '../../../code/graph/matching.js';
import { type CodeNode, NodeTable } from '../../../code/graph/node-table.js';
import { EXTRACTOR_VERSION } from '../../../code/parsing/facts.js';
import { ParserPool } from '../../../code/parsing/parser-pool.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { silentLog } from '../../../kernel/log.js';
import { connectDatabase } from '../../../platform/database/connection/connection.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { GitError } from '../git/git-program.js';
import { createMirror, type Mirror } from '../git/mirror.js';
import { compareCommits, listTree } from '../git/tree.js';
import { COMPARISON_BOUNDS, limitSymbols } from '../indexing/bounds.js';
import { FactSource } from '../indexing/fact-source.js';
import { indexStore } from '../indexing/index.store.js';
import { indexQueue } from '../indexing/index-queue.store.js';
import { asFileStep, type IndexRunOutput, isOwn, type LinkedEdges, runIndex } from '../indexing/index-run.js';
import {
  createIndexMemory,
  type FollowedRun,
  type IndexFollower,
  type IndexState,
} from '../indexing/index-state.js';
import { projectStore } from '../repository/projects.store.js';
import {
  type CodeTask,
  type Comparison,
  type ComparisonTask,
  type Failure,
  type FromThread,
  type IndexTask,
  Overtaken,
  type Progress,
  type ThreadSettings,
  type ToThread,
} from './code-threads.js';

export type { ThreadSettings } from './code-threads.js';

/** Statements over a large repository take longer than a request's statements. */
const STATEMENT_MS = 5 * 60_000;

export function serveCodeTasks(
  port: MessagePort,
  settings: ThreadSettings,
  openFollower: (deps: { db: Db; clock: Clock }) => IndexFollower,
): void {
  const { db } = connectDatabase({
    ...settings.address,
    poolSize: 2,
    applicationName: 'guildhall-code',
    statementTimeoutMs: STATEMENT_MS,
    log: silentLog,
  });
  let now = new Date(0);
  let awaitingAcknowledgement: (() => void)[] = [];
  const clock: Clock = { now: () => now };
  const send = (message: FromThread) => port.postMessage(message);
  const report = (progress: Progress): Promise<void> => {
    send({ kind: 'progress', progress });
    return new Promise((resolve) => awaitingAcknowledgement.push(resolve));
  };
  const parsers = new ParserPool();
  const mirrorOf = (projectId: string) => createMirror(settings.mirrorsDir, projectId);
  const index = createIndexing({
    db,
    clock,
    parsers,
    mirrorOf,
    follower: openFollower({ db, clock }),
    report,
  });

  const work = (task: CodeTask): Promise<unknown> =>
    task.kind === 'index' ? index(task) : compareCode(task, { mirror: mirrorOf(task.projectId), parsers });

  port.on('message', (message: ToThread) => {
    if (message.kind === 'acknowledged') {
      now = new Date(message.now);
      const acknowledged = awaitingAcknowledgement;
      awaitingAcknowledgement = [];
      for (const resolve of acknowledged) resolve();
      return;
    }
    work(message.task).then(
      (result) => send({ kind: 'done', result }),
      (error: unknown) => send({ kind: 'failed', failure: failureOf(error) }),
    );
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof Overtaken) return { reason: 'overtaken' };
  if (error instanceof GitError)
    return {
      reason: 'git',
      message: error.message,
      exitCode: error.exitCode,
      complaint: error.complaint,
    };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { reason: 'fault', message, stack };
}

interface IndexingDeps {
  db: Db;
  /** Advances only with each report. */
  clock: Clock;
  parsers: ParserPool;
  mirrorOf(projectId: string): Mirror;
  follower: IndexFollower;
  report(progress: Progress): Promise<void>;
}

export function createIndexing({ db, clock, parsers, mirrorOf, follower, report }: IndexingDeps) {
  const memory = createIndexMemory();

  async function index(task: IndexTask): Promise<void> {
    const { projectId, brandId, version, commit } = task;
    const mirror = mirrorOf(projectId);
    parsers.warmUp(task.from === null ? parsers.size : 1);
    const state = memory.take(projectId, version) ?? (await indexStore(db, projectId).loadState(version));
    const following = await follower.open({ projectId, brandId });
    const output = await runIndex({
      mirror,
      parsers,
      state,
      follower: following,
      from: task.from,
      to: commit,
      stepCount: task.stepCount,
      report: (phase, done, total) => report({ phase, done, total }),
      storeFacts: (made) => indexStore(db, projectId).saveFacts(made),
    });
    state.version = await store(task, state, output, following);
    state.table.settle();
    memory.keep(projectId, state);
    // The next change should not wait for the parser to load.
    parsers.warmUp(1);
  }

  async function store(
    task: IndexTask,
    state: IndexState,
    output: IndexRunOutput,
    following: FollowedRun,
  ): Promise<number> {
    const { projectId, brandId, indexId, commit } = task;
    const { created, changed } = state.table.changes();
    const total = created.length + changed.length;
    let linked: Promise<LinkedEdges> | undefined;
    return inTransaction(db, async (tx) => {
      const rows = indexStore(tx, projectId);
      if (!(await rows.lockVersion(task.version))) throw new Overtaken();
      let done = 0;
      let isLinked = false;
      const reportSaved = async (count: number) => {
        done += count;
        if (isLinked) await report({ phase: 'writing', done, total });
      };
      const added = rows.addNodes(created, reportSaved);
      // A retried transaction links only once.
      linked ??= output.link();
      const linking = linked.then(() => {
        isLinked = true;
        return report({ phase: 'writing', done, total });
      });
      // Waits for both: nothing may run after the end of the transaction.
      await Promise.allSettled([added, linking]);
      await added;
      await linking;
      const links = await linked;
      // Locks the project late, so that others can change it while its files are linked.
      const present = await projectStore(tx, brandId).lock(projectId);
      if (present?.index_version !== task.version) throw new Overtaken();
      await rows.changeNodes({ changed, forgotten: output.forgottenNodes }, reportSaved);
      await rows.saveEdges(links.changedEdges, links.removedEdges);
      const { madeFacts, storedFacts, wantedFacts } = output;
      await rows.deleteFacts(storedFacts.filter((key) => !wantedFacts.has(key)));
      await rows.saveFacts([...madeFacts].filter(([key]) => wantedFacts.has(key)));
      const { lessons, warnings } = await following.write(tx);
      const { files, stepCount } = output;
      const result = {
        commit,
        files,
        nodes: output.nodes,
        edges: links.edges,
        lessons,
        truncated: output.truncated || links.truncated,
        warnings: [...output.warnings, ...links.warnings, ...warnings],
      };
      return indexQueue(tx).complete(
        projectId,
        indexId,
        result,
        { stepCount, extractor: EXTRACTOR_VERSION },
        clock.now(),
      );
    });
  }

  return index;
}

/** Stores nothing. */
export async function compareCode(
  { before, head, paths }: ComparisonTask,
  { mirror, parsers }: { mirror: Mirror; parsers: ParserPool },
): Promise<Comparison> {
  const bounds = COMPARISON_BOUNDS;
  const source = new FactSource(mirror, parsers, new Map());
  try {
    const changes = (await compareCommits(mirror, before, head)).filter(
      ({ path, from }) => isOwn(path) || (from && isOwn(from)),
    );
    const tree = [...(await listTree(mirror, before)).files.values()].filter(({ path }) => isOwn(path));
    const involved = new Set(changes.flatMap(({ path, from }) => [path, ...(from ? [from] : [])]));
    const parsed = tree.filter(({ path }) => involved.has(path));
    await source.prepare([...parsed, ...changes.filter(({ blob }) => blob)], async () => {}, { bounds });
    const table = new NodeTable([], newId);
    const limits = () => ({ files: new Map<string, never>(), fits: limitSymbols(table, bounds) });
    // Anchors in unchanged files stay, so these files need no symbols.
    const staying = tree.filter(({ path }) => !involved.has(path)).map((file) => ({ ...file, symbols: [] }));
    const changing = parsed.map(({ path, blob }) => ({ status: 'added' as const, path, blob }));
    const files = [...staying, ...asFileStep(changing, source, limits()).files];
    advance(table, { files, removed: [], renames: new Map(), commit: before, number: 1 });
    return judge(table, paths, () =>
      advance(table, { ...asFileStep(changes, source, limits()), commit: head, number: 2 }),
    );
  } finally {
    source.close();
  }
}

function judge(table: NodeTable, paths: readonly string[], merge: () => unknown): Comparison {
  const asked = new Set(paths);
  const before = [...table.nodes.values()].map((node) => ({
    node,
    path: node.path,
    content: contentOf(node),
  }));
  merge();
  const moved: Comparison['moved'] = [];
  const touched = new Set<string>();
  /** A folder is touched by any change inside it. */
  const touchAbove = (path: string) => {
    for (const folder of foldersAbove(path)) if (asked.has(folder)) touched.add(folder);
  };
  for (const { node, path, content } of before) {
    const isMoved = !node.live || node.path !== path;
    const isChanged = node.live && contentOf(node) !== content;
    if (isMoved && asked.has(path)) moved.push([path, node.live ? node.path : null]);
    if (isChanged && asked.has(path)) touched.add(path);
    if (isMoved || isChanged) touchAbove(path);
  }
  // Removed code cannot be touched.
  for (const [path, to] of moved) if (to === null && path.endsWith('/')) touched.delete(path);
  return { moved, touched: [...touched] };
}

function contentOf(node: CodeNode): string {
  return `${node.blob ?? ''}${node.body ?? ''}`;
}
