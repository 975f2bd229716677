import type { Db } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import { type Clock, MINUTE, secondsFrom } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { PassResult } from '../../services/jobs.js';
import { GitError } from './git/git-program.js';
import { Mirror } from './git/mirror.js';
import { indexQueue } from './index-queue.store.js';
import { indexStore } from './indexing/index.store.js';
import type { FollowingPass, IndexFollower } from './indexing/index-follower.js';
import { type PassOutput, runIndexPass } from './indexing/index-pass.js';
import { IndexMemory, type IndexState } from './indexing/index-state.js';
import { EXTRACTOR_VERSION } from './parsing/facts.js';
import { ParserPool } from './parsing/parser-pool.js';
import { ProjectLock } from './project-lock.js';
import { type ProjectRow, projectStore } from './projects.store.js';
import type { RepositoryAccess } from './repository-access.js';

export interface IndexerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  follower: IndexFollower;
  access: RepositoryAccess;
  /** Where the service keeps its own copies. */
  mirrorsDir: string;
}

export const INDEX_CHANNEL = 'project-index';
/** Shorter than the schedule, so that a pass that comes a little early still looks. */
const LOOK_AGAIN_SECONDS = 9 * MINUTE;

/** A repository that does not answer must not keep the others waiting. */
const AT_ONCE = 4;

class Overtaken extends Error {}

/** Keeps the indexes of all projects: looks, fetches, reads, stores. */
export class ProjectIndexer {
  readonly #memory = new IndexMemory();
  readonly #parsers = new ParserPool();
  readonly #lock: ProjectLock;

  constructor(readonly options: IndexerOptions) {
    this.#lock = new ProjectLock(options.db);
  }

  /** `wanted`: passes that were asked for; `due`: also what was not looked at for a while; `all`: every repository. */
  async run(which: 'wanted' | 'due' | 'all', signal?: AbortSignal): Promise<PassResult> {
    const { db, clock } = this.options;
    const now = clock.now();
    const notSince =
      which === 'wanted' ? null : which === 'all' ? now : secondsFrom(now, -LOOK_AGAIN_SECONDS);
    const result = { processed: 0, failed: 0 };
    const due = await indexQueue(db).listDue(notSince);
    const work = async () => {
      for (let next = due.shift(); next && !signal?.aborted; next = due.shift()) {
        const { project_id, brand_id } = next;
        const done = await this.#lock.hold(project_id, signal, () =>
          this.#look(project_id, brand_id, which !== 'wanted', signal),
        );
        if (done === 'failed') result.failed++;
        else if (done === 'done') result.processed++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return result;
  }

  mirrorOf(projectId: string): Mirror {
    return new Mirror(this.options.mirrorsDir, projectId);
  }

  get parsers(): ParserPool {
    return this.#parsers;
  }

  async close(): Promise<void> {
    await this.#parsers.close();
  }

  async #look(
    projectId: string,
    brandId: number,
    unasked: boolean,
    signal?: AbortSignal,
  ): Promise<'done' | 'failed' | 'nothing'> {
    const { db, clock, log } = this.options;
    const queue = indexQueue(db);
    const project = await projectStore(db, brandId).find(projectId);
    if (!project?.repository_url) return 'nothing';
    let indexId = await inTransaction(db, (tx) => indexQueue(tx).claim(projectId, clock.now()));
    if (indexId === undefined && !unasked) return 'nothing';
    const begin = async () => {
      indexId ??= await queue.start(projectId, clock.now());
      await this.#announce(projectId);
      return indexId;
    };
    try {
      if (indexId !== undefined) await this.#announce(projectId);
      await this.#bringUpToDate(project, () => indexId, begin, signal);
      await queue.prune(projectId);
      return 'done';
    } catch (error) {
      if (signal?.aborted && indexId !== undefined) return 'failed';
      const id = await begin();
      if (!(error instanceof GitError)) log.error({ err: error, projectId }, 'An index pass failed');
      await queue.fail(
        id,
        error instanceof GitError ? error.message : 'The pass failed unexpectedly',
        clock.now(),
      );
      await queue.noteLook(projectId, clock.now());
      await queue.prune(projectId);
      await this.#announce(projectId);
      return 'failed';
    }
  }

  async #bringUpToDate(
    project: ProjectRow,
    claimed: () => string | undefined,
    begin: () => Promise<string>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { db, clock, access } = this.options;
    const { project_id: projectId, brand_id: brandId } = project;
    const mirror = this.mirrorOf(projectId);
    const indexId = claimed();
    if (indexId !== undefined) await this.#progress(projectId, indexId, 'fetching', 0, 1);
    const remote = await access.addressOf(brandId, project.repository_url!, project.repository_branch);
    const commit = await mirror.fetch(remote, signal);
    const isCurrent =
      project.ready_index_id !== null &&
      project.ready_commit === commit &&
      project.ready_extractor === EXTRACTOR_VERSION;
    if (isCurrent) {
      if (indexId !== undefined)
        await inTransaction(db, (tx) => indexQueue(tx).confirm(project, indexId, clock.now()));
      await indexQueue(db).noteLook(projectId, clock.now());
      await this.#announce(projectId);
      return;
    }
    await this.#index(project, mirror, commit, await begin(), signal);
    await this.#announce(projectId);
  }

  async #index(
    project: ProjectRow,
    mirror: Mirror,
    commit: string | null,
    indexId: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const { db, follower } = this.options;
    const { project_id: projectId, brand_id: brandId } = project;
    const state =
      this.#memory.take(projectId, project.index_version) ??
      (await indexStore(db, projectId).loadState(project.index_version));
    const following = await follower.open({ projectId, brandId });
    const output = await runIndexPass({
      mirror,
      parsers: this.#parsers,
      state,
      follower: following,
      from: project.ready_commit,
      to: commit,
      stepCount: project.step_count,
      report: (phase, done, total) => this.#progress(projectId, indexId, phase, done, total),
      signal,
    });
    if (commit !== null) await mirror.keepIndexed(commit);
    await this.#progress(projectId, indexId, 'writing', 0, 1);
    state.version = await this.#store({ project, indexId, commit, state, output, following });
    state.table.touched.clear();
    this.#memory.keep(projectId, state);
  }

  #store(made: {
    project: ProjectRow;
    indexId: string;
    commit: string | null;
    state: IndexState;
    output: PassOutput;
    following: FollowingPass;
  }): Promise<number> {
    const { db, clock } = this.options;
    const { project, indexId, commit, state, output, following } = made;
    const { project_id: projectId, brand_id: brandId } = project;
    return inTransaction(db, async (tx) => {
      const present = await projectStore(tx, brandId).lock(projectId);
      if (present?.index_version !== project.index_version)
        throw new Overtaken('Another pass stored its result first');
      const store = indexStore(tx, projectId);
      await store.saveNodes([...state.table.touched]);
      await store.saveEdges(output.changedEdges, output.removedEdges);
      await store.saveFacts(output.madeFacts, output.wantedFacts, output.storedFacts);
      const { lessons, warnings } = await following.write(tx);
      const { files, nodes, edges, stepCount } = output;
      const result = { commit, files, nodes, edges, lessons, warnings: [...output.warnings, ...warnings] };
      return indexQueue(tx).complete(
        projectId,
        indexId,
        result,
        { stepCount, extractor: EXTRACTOR_VERSION },
        clock.now(),
      );
    });
  }

  async #progress(
    projectId: string,
    indexId: string,
    phase: string,
    done: number,
    total: number,
  ): Promise<void> {
    await indexQueue(this.options.db).noteProgress(indexId, { phase, done, total });
    await this.#announce(projectId);
  }

  async #announce(projectId: string): Promise<void> {
    const { db, notifications } = this.options;
    await notifications.publish(db, INDEX_CHANNEL, { project_id: projectId });
  }
}
