import { setTimeout as pause } from 'node:timers/promises';
import type { Build } from '../../client/src/index.js';
import type { Call } from './command.js';
import { broken } from './failure.js';

const LOOK_EVERY_MS = 500;

/** The accepted build, once its branch is in the repository of the project. */
export async function awaitPush({ service, signal }: Call, accepted: Build): Promise<Build> {
  let build = accepted;
  while (build.pushed_at === null) {
    if (build.push_error !== null)
      throw broken(
        `It is accepted, but its branch is not in the repository: ${build.push_error}`,
        `When that is mended: guildhall builds review ${build.build_id} --accept --wait`,
      );
    await pause(LOOK_EVERY_MS, undefined, { signal });
    build = await service().client.getBuild({ build_id: build.build_id }, { signal });
  }
  return build;
}
