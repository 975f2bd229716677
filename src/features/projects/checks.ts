import { LRUCache } from 'lru-cache';
import * as checksFile from '../../../packages/protocol/checks-file.js';
import {
  CHECKS_FILE,
  describeChecksFault,
  LARGEST_CHECKS_FILE,
} from '../../../packages/protocol/checks-file.js';
import type { MemberCaller } from '../../kernel/access.js';
import { within } from '../../kernel/async.js';
import type { Clock } from '../../kernel/clock.js';
import { ApiError, unprocessable } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import { Closed } from '../../platform/http/declaration/schemas.js';
import { bodyValidator } from '../../platform/http/request/validation.js';
import type { ProjectCommits } from './commits/project-commits.js';
import { checksNoFile, projectNotFound, repeatedCheck } from './projects.errors.js';
import { CardChecks, type ProjectChecks, type ProjectChecksInput } from './projects.schemas.js';
import { checkStore, type ProjectRow, projectStore } from './repository/projects.store.js';

function asAnswer<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof checksFile.ChecksFault ? unprocessable(error.message) : error;
  }
}

export const readChecksFile = (text: string): ProjectChecks =>
  asAnswer(() => checksFile.readChecksFile(text));

export const settleChecks = (input: ProjectChecksInput): ProjectChecks =>
  asAnswer(() => checksFile.settleChecks(input));

const validate = bodyValidator(Closed({ agent_context: Closed({ checks: CardChecks }) }));

export function requireCardChecks(checks: unknown): void {
  if (checks === undefined || checks === null) return;
  validate({ agent_context: { checks } });
  const names = (checks as { name: string }[]).map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw repeatedCheck(twice, 'agent_context.checks');
}

interface CheckDeps {
  db: Db;
  clock: Clock;
  log: Log;
  commits: ProjectCommits;
}

export interface ChecksAtCommit {
  definition: ProjectChecks;
  fault?: string;
  /** The checks file could not be read this time, so a later attempt may find it. */
  unread?: true;
}

/** Short, because a desk that starts a build waits for this. */
const READ_MS = 10_000;
const MOST_REMEMBERED = 2_000_000;

const NOTHING: ProjectChecks = { checks: [], setup: null, required: true };
const saysNothing = ({ checks, setup }: ProjectChecks): boolean => checks.length === 0 && setup === null;

export function createProjectChecks({ db, clock, log, commits }: CheckDeps) {
  async function requireProject(brandId: number, projectId: string): Promise<void> {
    if (!(await projectStore(db, brandId).find(projectId))) throw projectNotFound();
  }

  /** The checks file of a commit never changes, and every step of its builds reads it. */
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
          // Commands may contain secrets, so the audit records only their number.
          details: { checks: definition.checks.length, setup: definition.setup !== null },
          at: now,
        });
      });
      return definition;
    },

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

    /** The project's own checks take precedence. An unreadable file causes no failure. */
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
