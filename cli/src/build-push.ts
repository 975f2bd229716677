import { setTimeout as pause } from 'node:timers/promises';
import type { Build } from '../../client/src/index.js';
import type { Call } from './command.js';
import { broken } from './failure.js';

const LOOK_EVERY_MS = 500;

/** Waits until the branch of an accepted build is pushed to the project's repository. */
export async function awaitPush({ service, signal }: Call, accepted: Build): Promise<Build> {
  let build = accepted;
  while (build.pushed_at === null) {
    if (build.push_error !== null)
      throw broken(
        `The build is accepted, but its branch was not pushed: ${build.push_error}`,
        `Fix the cause, then run: guildhall builds review ${build.build_id} --accept --wait`,
      );
    await pause(LOOK_EVERY_MS, undefined, { signal });
    build = await service().client.getBuild({ build_id: build.build_id }, { signal });
  }
  return build;
}
