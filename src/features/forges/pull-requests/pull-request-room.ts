import type { ForgeOptions } from '../connection/forges.options.js';
import { readHostStates } from './due.store.js';
import { createFollowing } from './following.js';
import { createForgePass } from './forge-pass.js';
import type { FindIssueOfCard, ForgeAccess, IssuePass, Rework } from './neighbours.js';
import { createOpening } from './opening.js';
import { createOpeningPass } from './opening-pass.js';
import { createPullRequestService } from './pull-requests.service.js';
import { createTurns } from './turns.js';
import { createWayHome } from './way-home.js';

interface RoomOptions extends ForgeOptions {
  access: ForgeAccess;
  passIssues: IssuePass;
  findIssueOfCard: FindIssueOfCard;
  rework: Rework;
}

/** From a pushed branch to the end of its pull request. */
export function createPullRequestRoom(options: RoomOptions) {
  const turns = createTurns();
  const follow = createFollowing(options);
  const open = createOpening({ ...options, follow });
  const pass = createForgePass({ ...options, follow, turns });
  return {
    wayHome: createWayHome(options),
    pullRequests: createPullRequestService({ ...options, follow }),
    runForgePass: pass.run,
    readHosts: () => readHostStates(options.db, options.clock.now()),
    runOpeningPass: createOpeningPass({ ...options, open, follow, turns }),

    /** What hosts still owe is waited for a moment. */
    async stop(): Promise<void> {
      pass.stop();
      await turns.stop();
    },
  };
}
