import type { MemberCaller } from '../../../kernel/access.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { NewBuild } from '../builds.schemas.js';
import { commitToCheck } from '../checks/check-definition.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import type { PreparedBuild } from './starts.js';

/** Another attempt that goes on from a build, ready to be queued. */
export interface NextAttempt {
  caller: MemberCaller;
  input: NewBuild;
  prepared: PreparedBuild;
}

interface ReworkDeps extends Pick<BuildOptions, 'log' | 'parts'> {
  prepareBuild(
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    before: BuildRow,
  ): Promise<PreparedBuild>;
  addBuild(
    tx: Tx,
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    prepared: PreparedBuild,
  ): Promise<BuildRow>;
}

/** Attempts that the service begins by itself, in the name of whoever asked for the one before. */
export function createReworks({ log, parts, prepareBuild, addBuild }: ReworkDeps) {
  return {
    /**
     * Before a transaction, since it may wait for others. Undefined where there can be none: what a person has on their own
     * machine is theirs to go on with, and nobody acts for a person who has left.
     */
    async prepare(build: BuildRow): Promise<NextAttempt | undefined> {
      if (build.local) return undefined;
      const caller = await parts.findAsker(build);
      if (!caller) return undefined;
      const { build_id: continues, coder, profile, base_branch } = build;
      const input = { continues, coder, ...(profile !== null && { profile }), base_branch };
      const before = { ...build, head_sha: commitToCheck(build) ?? null };
      try {
        return { caller, input, prepared: await prepareBuild(caller, build.task_id, input, before) };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        log.info(
          { build: continues, reason: error.message },
          'A build cannot be followed by another attempt',
        );
        return undefined;
      }
    },

    /** In the transaction that ended the build before. */
    begin: (tx: Tx, { task_id }: BuildRow, { caller, input, prepared }: NextAttempt): Promise<BuildRow> =>
      addBuild(tx, caller, task_id, input, prepared),
  };
}

export type Reworks = ReturnType<typeof createReworks>;
