import { EXTRACTOR_VERSION } from '../../../code/parsing/facts.js';
import type { ParserPool } from '../../../code/parsing/parser-pool.js';
import type { Clock } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { Mirror } from '../git/mirror.js';
import { indexStore } from '../indexing/index.store.js';
import type { FollowedRun, IndexFollower } from '../indexing/index-follower.js';
import { indexQueue } from '../indexing/index-queue.store.js';
import { type IndexRunOutput, type LinkedEdges, runIndex } from '../indexing/index-run.js';
import { createIndexMemory, type IndexState } from '../indexing/index-state.js';
import { projectStore } from '../repository/projects.store.js';
import { type IndexTask, Overtaken, type Progress } from './code-tasks.js';

interface IndexingDeps {
  db: Db;
  /** Stands still between two reports. */
  clock: Clock;
  parsers: ParserPool;
  mirrorOf(projectId: string): Mirror;
  follower: IndexFollower;
  report(progress: Progress): Promise<void>;
}

/** Reads what is new of a project, and stores it with whatever is anchored to it. */
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
    // Whoever changes something soon does not wait for it to load.
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
      if (!(await rows.takeTurn(task.version))) throw new Overtaken();
      let done = 0;
      let isLinked = false;
      const reportSaved = async (count: number) => {
        done += count;
        if (isLinked) await report({ phase: 'writing', done, total });
      };
      const added = rows.addNodes(created, reportSaved);
      // A transaction that runs again finds the files linked.
      linked ??= output.link();
      const linking = linked.then(() => {
        isLinked = true;
        return report({ phase: 'writing', done, total });
      });
      // Both are over before anybody hears that one failed: nothing may come after the end of the transaction.
      await Promise.allSettled([added, linking]);
      await added;
      await linking;
      const links = await linked;
      // Only now, and so for a moment: others may change the project while its files are linked.
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
