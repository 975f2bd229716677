import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ImpactAnswer } from '../../lessons/index.js';
import type {
  ChangedTexts,
  FileLines,
  FileMove,
  LineRange,
  ProjectRow,
  StagedCommits,
} from '../../projects/index.js';
import {
  baseGone,
  buildNotFound,
  commitsGone,
  linesBackwards,
  noCommitsYet,
  noLines,
  noSuchFile,
  projectGone,
} from '../builds.errors.js';
import { lifecycleStore } from '../lifecycle/lifecycle.store.js';
import type { Worker } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { FileQuery, FileView } from './commits.schemas.js';
import { commitStore } from './commits.store.js';

/** How many attempts back commits are restored. */
const MOST_GENERATIONS = 100;

const MOST_LINES = 500;
const MOST_BYTES = 256 * 1024;
/** All lines before the first one must be read too. */
const LARGEST_FILE = 5 * 1024 * 1024;

const nameOf = (buildId: string): string => `refs/guildhall/builds/${buildId}`;

export type BuildCommits = ReturnType<typeof createBuildCommits>;

/** A mirror belongs to one node. Missing commits are fetched or restored from the stored bundles. */
export function createBuildCommits({ db, clock, log, projects, lessons }: BuildDeps) {
  async function getBuild(brandId: number, buildId: string): Promise<BuildRow> {
    const build = await buildStore(db, brandId).find(buildId, clock.now());
    if (!build) throw buildNotFound();
    return build;
  }

  async function getProject({ brand_id, project_id }: BuildRow): Promise<ProjectRow> {
    const project = await projects.findProject(brand_id, project_id);
    if (!project?.repository_url) throw projectGone();
    return project;
  }

  /** The base is in the repository, or is the head of an earlier attempt. */
  async function bringBase(project: ProjectRow, build: BuildRow, generation = 0): Promise<void> {
    if (await projects.commits.hasCommit(project.project_id, build.base_sha)) return;
    const source = build.continues ?? build.reviewed_build_id;
    const before = source ? await buildStore(db, build.brand_id).find(source, clock.now()) : undefined;
    // A review of a build without commits starts where that build started.
    if (before && before.head_sha === null && before.base_sha === build.base_sha)
      return bringBase(project, before, generation + 1);
    if (before?.head_sha === build.base_sha) return bringHead(project, before, generation + 1);
    // An attempt without commits passes on its own base.
    if (before?.base_sha === build.base_sha && generation <= MOST_GENERATIONS)
      return bringBase(project, before, generation + 1);
    if (!(await projects.commits.bringCommit(project, build.base_sha))) throw baseGone();
  }

  async function bringHead(project: ProjectRow, build: BuildRow, generation = 0): Promise<void> {
    if (await projects.commits.hasCommit(project.project_id, build.head_sha!)) return;
    if (generation > MOST_GENERATIONS) throw commitsGone();
    await bringBase(project, build, generation);
    const arrival = { branch: build.branch, base: build.base_sha };
    const staged = await projects.commits.stage(project, arrival, readKept(build)).catch((error: unknown) => {
      // The bundle was valid when it arrived, so the stored one must be missing.
      throw error instanceof ApiError && error.status === 422 ? commitsGone() : error;
    });
    await publish(staged, build);
  }

  async function* readKept({ brand_id, build_id }: BuildRow): AsyncGenerator<Buffer> {
    const store = commitStore(db, brand_id);
    for (let part = 0; ; part++) {
      const bytes = await store.findPart(build_id, part);
      if (!bytes) return;
      yield bytes;
    }
  }

  async function publish(staged: StagedCommits, { build_id }: BuildRow): Promise<void> {
    try {
      await staged.publish(nameOf(build_id));
    } finally {
      await staged.discard();
    }
  }

  async function keep(tx: Tx, build: BuildRow, staged: StagedCommits): Promise<void> {
    const store = commitStore(tx, build.brand_id);
    if (build.head_sha !== staged.head) {
      await store.clearBundle(build.build_id);
      let part = 0;
      for await (const bytes of staged.read()) await store.addPart(build.build_id, part++, bytes);
    }
    await store.saveHead(build.build_id, staged.head, staged.diff);
  }

  async function hear(inside: Db | Tx, { brandId, deskId }: Worker, buildId: string): Promise<void> {
    const now = clock.now();
    const said = { build_id: buildId, progress_at: now.toISOString() };
    if (deskId !== undefined) await lifecycleStore(inside, brandId).hear(deskId, [said], now);
  }

  async function getArrived(brandId: number, buildId: string) {
    const build = await getBuild(brandId, buildId);
    if (build.head_sha === null) throw noCommitsYet();
    const project = await getProject(build);
    await bringHead(project, build);
    // Accepting pushes the work of all attempts in the line.
    const base = build.origin_sha ?? build.base_sha;
    return { project, base, previous: build.base_sha, head: build.head_sha };
  }

  /** Finds a renamed file in the base by its new name too. */
  async function readLines(
    build: BuildRow,
    side: 'old' | 'new',
    path: string,
    range: LineRange,
  ): Promise<FileLines | undefined> {
    const { project, base, head } = await getArrived(build.brand_id, build.build_id);
    const { commits } = projects;
    const found = await commits.readLines(project, side === 'new' ? head : base, path, range);
    if (found || side === 'new') return found;
    const before = (await commits.readMoves(project, head, base, [path])).get(path)?.path;
    return before ? commits.readLines(project, base, before, range) : undefined;
  }

  return {
    bringHead,

    async readBase(worker: Worker, buildId: string, until: AbortSignal): Promise<AsyncIterable<Buffer>> {
      const build = worker.requireOwn(await buildStore(db, worker.brandId).find(buildId, clock.now()));
      const project = await getProject(build);
      await bringBase(project, build);
      return projects.commits.readBundle(project, build.base_sha, until);
    },

    async readHead(build: BuildRow, sha: string, until: AbortSignal): Promise<AsyncIterable<Buffer>> {
      const project = await getProject(build);
      await (build.head_sha === sha ? bringHead(project, build) : bringBase(project, build));
      return projects.commits.readBundle(project, sha, until);
    },

    /** Validates in quarantine, stores, then publishes to the mirror. Publishing can be repeated. */
    async receive(
      worker: Worker,
      buildId: string,
      bytes: AsyncIterable<Buffer>,
    ): Promise<{ head_sha: string }> {
      const { brandId } = worker;
      const found = worker.requireOpen(await buildStore(db, brandId).find(buildId, clock.now()));
      await hear(db, worker, buildId);
      // Commits of a review are dropped.
      if (found.kind === 'review') {
        for await (const _ of bytes);
        return { head_sha: found.base_sha };
      }
      const project = await getProject(found);
      await bringBase(project, found);
      const staged = await projects.commits.stage(
        project,
        { branch: found.branch, base: found.base_sha, countFrom: found.origin_sha ?? found.base_sha },
        bytes,
      );
      try {
        await inTransaction(db, async (tx) => {
          const build = worker.requireOpen(await buildStore(tx, brandId).lock(buildId, clock.now()));
          await keep(tx, build, staged);
          await hear(tx, worker, buildId);
        });
      } catch (error) {
        await staged.discard();
        throw error;
      }
      await publish(staged, found).catch((error: unknown) =>
        log.warn({ err: error, build: buildId }, 'Commits are kept, and will be put into the mirror later'),
      );
      return { head_sha: staged.head };
    },

    async readDiff(
      brandId: number,
      buildId: string,
      { path, from = 'base' }: { path?: string; from?: 'base' | 'previous' },
    ): Promise<Buffer> {
      const { project, head, ...starts } = await getArrived(brandId, buildId);
      return projects.commits.readDiff(project, starts[from], head, path);
    },

    async foreseeImpact(brandId: number, buildId: string): Promise<ImpactAnswer> {
      const { project, base, head } = await getArrived(brandId, buildId);
      return lessons.getMergeImpact(brandId, project.project_id, base, head);
    },

    readLines,

    async readFile(brandId: number, buildId: string, query: FileQuery): Promise<FileView> {
      const { path, side = 'new', from = 1, to = from + MOST_LINES - 1 } = query;
      if (to < from) throw linesBackwards();
      const last = Math.min(to, from + MOST_LINES - 1);
      const found = await readLines(await getBuild(brandId, buildId), side, path, {
        first: from,
        last,
        largest: LARGEST_FILE,
        most: MOST_BYTES,
      });
      if (!found) throw noSuchFile();
      if (found.lines.some((line) => line.includes('\0'))) throw noLines();
      return { path, side, from, total: found.total, lines: found.lines };
    },

    /** Undefined when the commits cannot be read now. */
    async readMoves(
      build: BuildRow,
      from: string,
      paths: readonly string[],
    ): Promise<Map<string, FileMove> | undefined> {
      try {
        const project = await getProject(build);
        if (build.head_sha === null) await bringBase(project, build);
        else await bringHead(project, build);
        return await projects.commits.readMoves(project, from, build.head_sha ?? build.base_sha, paths);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return undefined;
      }
    },

    async readChangedTexts(build: BuildRow, worth: (path: string) => number): Promise<ChangedTexts> {
      if (build.head_sha === null) return { files: [], leftOut: 0 };
      const { project, base, head } = await getArrived(build.brand_id, build.build_id);
      return projects.commits.readChangedTexts(project, base, head, worth);
    },

    /** Empty when the commits cannot be read now. */
    async listChangedPaths(build: BuildRow, most: number): Promise<string[]> {
      if (build.head_sha === null) return [];
      try {
        const { project, base, head } = await getArrived(build.brand_id, build.build_id);
        return await projects.commits.listChangedPaths(project, base, head, most);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return [];
      }
    },
  };
}
