import type { Clock } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ImpactAnswer, LessonService } from '../../lessons/index.js';
import type {
  ChangedTexts,
  FileLines,
  FileMove,
  LineRange,
  ProjectRow,
  ProjectService,
  StagedCommits,
} from '../../projects/index.js';
import { buildNotFound } from '../builds.errors.js';
import { lifecycleStore } from '../lifecycle/lifecycle.store.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { Worker } from '../record/worker.js';
import {
  baseGone,
  commitsGone,
  linesBackwards,
  noCommitsYet,
  noLines,
  noSuchFile,
  projectGone,
} from './commits.errors.js';
import type { FileQuery, FileView } from './commits.schemas.js';
import { commitStore } from './commits.store.js';

interface CommitDeps {
  db: Db;
  clock: Clock;
  log: Log;
  projects: Pick<ProjectService, 'findProject' | 'commits'>;
  lessons: Pick<LessonService, 'foresee'>;
}

/** Longer lines of attempts that go on from each other are not made again from their beginning. */
const MOST_GENERATIONS = 100;

/** Of one answer: what a reader asks for at a time is a screen or two. */
const MOST_LINES = 500;
const MOST_BYTES = 256 * 1024;
/** To reach a line all before it is read. */
const LARGEST_FILE = 5 * 1024 * 1024;

const nameOf = (buildId: string): string => `refs/guildhall/builds/${buildId}`;

export type BuildCommits = ReturnType<typeof createBuildCommits>;

/** What builds start from and what they bring back. Mirrors are a node's own: what one lacks is brought or made again. */
export function createBuildCommits({ db, clock, log, projects, lessons }: CommitDeps) {
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

  /** The base lies in the repository, or is what the attempt before this one brought. */
  async function bringBase(project: ProjectRow, build: BuildRow, generation = 0): Promise<void> {
    if (await projects.commits.hasCommit(project.project_id, build.base_sha)) return;
    const source = build.continues ?? build.reviewed_build_id;
    const before = source ? await buildStore(db, build.brand_id).find(source, clock.now()) : undefined;
    // A review of what brought nothing new begins where that did.
    if (before && before.head_sha === null && before.base_sha === build.base_sha)
      return bringBase(project, before, generation + 1);
    if (before?.head_sha === build.base_sha) return bringHead(project, before, generation + 1);
    // One that brought nothing hands on what it was given.
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
      // It was good when it came; that nothing was kept of it is the one thing that can be wrong with it now.
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
    // What accepting brings in is the work of every attempt that this one goes on from.
    const base = build.origin_sha ?? build.base_sha;
    return { project, base, previous: build.base_sha, head: build.head_sha };
  }

  /** Lines of a file as the build left it, or as it was in its base; of a renamed one by its new name too. */
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
    /** Makes sure that the commits of a build are in the mirror of this node. */
    bringHead,

    async readBase(worker: Worker, buildId: string, until: AbortSignal): Promise<AsyncIterable<Buffer>> {
      const build = worker.requireOwn(await buildStore(db, worker.brandId).find(buildId, clock.now()));
      const project = await getProject(build);
      await bringBase(project, build);
      return projects.commits.readBundle(project, build.base_sha, until);
    },

    /** What a build came to, which is what it began from where it brought nothing. */
    async readHead(build: BuildRow, sha: string, until: AbortSignal): Promise<AsyncIterable<Buffer>> {
      const project = await getProject(build);
      await (build.head_sha === sha ? bringHead(project, build) : bringBase(project, build));
      return projects.commits.readBundle(project, sha, until);
    },

    /** Judged apart from everything, then kept with the build, then put into the mirror, which can be done again at any time. */
    async receive(
      worker: Worker,
      buildId: string,
      bytes: AsyncIterable<Buffer>,
    ): Promise<{ head_sha: string }> {
      const { brandId } = worker;
      const found = worker.requireOpen(await buildStore(db, brandId).find(buildId, clock.now()));
      await hear(db, worker, buildId);
      // A reviewer changes nothing: what it brings all the same is dropped.
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
      return lessons.foresee(brandId, project.project_id, base, head);
    },

    readLines,

    /** For whoever wants to see what lies around a change. */
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

    /** What became of files between a commit of an earlier attempt and what this one has now; none where that cannot be read. */
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

    /** What the attempt and those that it goes on from changed, with the texts; nothing where it brought nothing. */
    async readChangedTexts(build: BuildRow, worth: (path: string) => number): Promise<ChangedTexts> {
      if (build.head_sha === null) return { files: [], leftOut: 0 };
      const { project, base, head } = await getArrived(build.brand_id, build.build_id);
      return projects.commits.readChangedTexts(project, base, head, worth);
    },

    /** The paths that an attempt changed, so many at most; none when it brought nothing that can be read now. */
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
