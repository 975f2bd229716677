import { LRUCache } from 'lru-cache';
import {
  CHECKS_FILE,
  describeChecksFault,
  LARGEST_CHECKS_FILE,
} from '../../../../packages/protocol/checks-file.js';
import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { within } from '../../../kernel/deadline.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectCommits } from '../commits/project-commits.js';
import { checksNoFile, projectNotFound } from '../projects.errors.js';
import { type ProjectRow, projectStore } from '../repository/projects.store.js';
import type { ProjectChecks, ProjectChecksInput } from './checks.schemas.js';
import { checkStore } from './checks.store.js';
import { readChecksFile, settleChecks } from './checks-file.js';

interface CheckDeps {
  db: Db;
  clock: Clock;
  log: Log;
  commits: ProjectCommits;
}

/** What counts for a commit. */
export interface ChecksAtCommit {
  definition: ProjectChecks;
  /** Why what the repository says does not count. */
  fault?: string;
  /** It could not be looked at: what it says may be known later. */
  unread?: true;
}

/** A desk that starts a build waits for it. */
const READ_MS = 10_000;
/** How much of what commits say is remembered, by the length of their files. */
const MOST_REMEMBERED = 2_000_000;

const NOTHING: ProjectChecks = { checks: [], setup: null, required: true };
const saysNothing = ({ checks, setup }: ProjectChecks): boolean => checks.length === 0 && setup === null;

/** How a checkout of a project is made usable, and what has to hold of it. */
export function createProjectChecks({ db, clock, log, commits }: CheckDeps) {
  async function requireProject(brandId: number, projectId: string): Promise<void> {
    if (!(await projectStore(db, brandId).find(projectId))) throw projectNotFound();
  }

  /** What a commit says never changes, and every step of its builds asks for it. */
  const remembered = new LRUCache<string, ProjectChecks>({ maxSize: MOST_REMEMBERED });

  async function readFile(project: ProjectRow, commit: string): Promise<ChecksAtCommit> {
    const key = `${project.project_id} ${commit} ${project.repository_url}`;
    const known = remembered.get(key);
    if (known) return { definition: known };
    const here = await commits.hasCommit(project.project_id, commit);
    if (!here && !(await commits.bringCommit(project, commit))) return { definition: NOTHING };
    const found = await commits.readFile(project, commit, CHECKS_FILE, LARGEST_CHECKS_FILE);
    const definition = found === undefined ? NOTHING : readChecksFile(found);
    remembered.set(key, definition, { size: 1 + key.length + (found?.length ?? 0) });
    return { definition };
  }

  return {
    async getChecks({ brandId }: MemberCaller, projectId: string): Promise<ProjectChecks> {
      await requireProject(brandId, projectId);
      return (await checkStore(db, brandId).find(projectId)) ?? NOTHING;
    },

    async setChecks(
      caller: MemberCaller,
      projectId: string,
      input: ProjectChecksInput,
    ): Promise<ProjectChecks> {
      const definition = settleChecks(input);
      const now = clock.now();
      await inTransaction(db, async (tx) => {
        if (!(await projectStore(tx, caller.brandId).lock(projectId))) throw projectNotFound();
        await checkStore(tx, caller.brandId).save(projectId, definition, now);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'project.checks_changed',
          subject: `project:${projectId}`,
          // Not the commands: what stands in them is nobody's business but the project's.
          details: { checks: definition.checks.length, setup: definition.setup !== null },
          at: now,
        });
      });
      return definition;
    },

    /** What is wrong with a text that a repository brings as its checks; undefined where nothing is. */
    findFault(text: string): string | undefined {
      try {
        if (Buffer.byteLength(text) > LARGEST_CHECKS_FILE) throw checksNoFile(LARGEST_CHECKS_FILE);
        readChecksFile(text);
        return undefined;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return describeChecksFault(error.message);
      }
    },

    /** The project's own where it says anything, else what its repository says at the commit. A file that cannot be read fails nothing. */
    async findAt(project: ProjectRow, commit: string | undefined): Promise<ChecksAtCommit> {
      const own = await checkStore(db, project.brand_id).find(project.project_id);
      if (own && !saysNothing(own)) return { definition: own };
      if (project.repository_url === null || commit === undefined) return { definition: NOTHING };
      try {
        return await within(READ_MS, readFile(project, commit));
      } catch (error) {
        if (!(error instanceof ApiError))
          log.warn({ err: error, commit }, 'The checks of a project could not be read');
        const why = error instanceof ApiError ? error.message : 'try again later';
        const unread = !(error instanceof ApiError) || error.status >= 500;
        return {
          definition: NOTHING,
          fault: describeChecksFault(why),
          ...(unread && { unread }),
        };
      }
    },
  };
}
