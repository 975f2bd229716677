import { createForgeOpener } from './adapter/forge-adapter.js';
import { createConnectionService } from './connection/connection.service.js';
import { createForgeAccess } from './connection/forge-access.js';
import type { ForgeOptions } from './connection/forges.options.js';
import { createHookService } from './hooks/hooks.service.js';
import { createIssueSync } from './issues/issue-sync.js';
import { findIssueOfCard } from './issues/issues.store.js';
import { createCardSync } from './pull-requests/card-sync.js';
import { readHostStates } from './pull-requests/due.store.js';
import { createForgeSync } from './pull-requests/forge-sync.js';
import { createHostQueue } from './pull-requests/host-queue.js';
import { createPullRequestOpener } from './pull-requests/open-pull-request.js';
import { createOpeningJob } from './pull-requests/opening-job.js';
import { createPullRequestService } from './pull-requests/pull-requests.service.js';
import { createPullRequestsOfBuilds } from './pull-requests/pull-requests-of-builds.js';
import { createForgeRework } from './rework/forge-rework.js';

export { type Forge, ForgeFailed, type Issue, type IssueComment } from './adapter/forge.js';

export type ForgeService = ReturnType<typeof createForgeService>;

/** Accepted work becomes a pull request on the team's own host, and the card follows it. */
export function createForgeService(options: ForgeOptions) {
  const opener = createForgeOpener({ ...options, networks: options.forgeNetworks });
  const { openForge: open = opener.open } = options;
  const access = createForgeAccess({ ...options, open });
  const syncIssues = createIssueSync(options);
  const rework = createForgeRework(options);
  const queue = createHostQueue();
  const syncCard = createCardSync(options);
  const openPullRequest = createPullRequestOpener({ ...options, access, findIssueOfCard, syncCard });
  const sync = createForgeSync({ ...options, access, syncCard, rework, syncIssues, queue });
  return {
    access,
    connections: createConnectionService({ ...options, open, access }),
    hooks: createHookService(options),
    syncIssues,
    wayHome: createPullRequestsOfBuilds(options),
    pullRequests: createPullRequestService({ ...options, access, syncCard }),
    syncForges: sync.run,
    openPullRequests: createOpeningJob({ ...options, access, openPullRequest, syncCard, queue }),
    readHosts: () => readHostStates(options.db, options.clock.now()),

    async stop(): Promise<void> {
      sync.stop();
      await queue.stop();
      opener.close();
    },
  };
}
