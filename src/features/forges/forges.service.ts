import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { createForgeOpener } from './adapter/forge-adapter.js';
import { createConnectionService } from './connection/connection.service.js';
import { createForgeAccess } from './connection/forge-access.js';
import type { ForgeOptions } from './connection/forges.options.js';
import { createHookService } from './hooks/hooks.service.js';
import { createIssueSync } from './issues/issues.js';
import { findIssueOfCard } from './issues/issues.store.js';
import { createCardSync } from './pull-requests/card-sync.js';
import { createForgeSync, SYNC_JOB } from './pull-requests/forge-sync.js';
import { readHostStates } from './pull-requests/forge-sync.store.js';
import { createHostQueue } from './pull-requests/host-queue.js';
import {
  createOpeningJob,
  createPullRequestOpener,
  OPENING_JOB,
} from './pull-requests/open-pull-requests.js';
import { createPullRequestService } from './pull-requests/pull-requests.service.js';
import { createForgeRework } from './pull-requests/rework.js';

export { type Forge, ForgeFailed, type Issue, type IssueComment } from './adapter/forge.js';

export type ForgeService = ReturnType<typeof createForgeService>;

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
    pullRequests: createPullRequestService({ ...options, access, syncCard }),
    syncForges: sync.run,
    openPullRequests: createOpeningJob({ ...options, openPullRequest, syncCard, queue }),
    readHosts: () => readHostStates(options.db, options.clock.now()),

    async stop(): Promise<void> {
      sync.stop();
      await queue.stop();
      opener.close();
    },
  };
}

export const forgeJobs = ({ syncForges, openPullRequests }: ForgeService): JobDefinition[] => [
  {
    // Each project is due every two minutes, but hosts that failed are retried sooner.
    name: SYNC_JOB,
    description: 'Syncs pull requests and issues with their repository hosts.',
    schedule: { everySeconds: 10 },
    run: syncForges,
  },
  {
    name: OPENING_JOB,
    description: 'Opens pull requests for accepted builds.',
    schedule: { everySeconds: 10 },
    run: openPullRequests,
  },
];
