import { createForgeOpener } from './adapter/forge-adapter.js';
import { createConnectionService } from './connection/connection.service.js';
import { createForgeAccess } from './connection/forge-access.js';
import type { ForgeOptions } from './connection/forges.options.js';
import { createHookService } from './hooks/hooks.service.js';
import { createIssuePass } from './issues/issue-pass.js';
import { findIssueOfCard } from './issues/issues.store.js';
import { createPullRequestRoom } from './pull-requests/pull-request-room.js';
import { createForgeRework } from './rework/forge-rework.js';

export { type Forge, ForgeFailed, type Issue, type IssueComment } from './adapter/forge.js';

export type ForgeService = ReturnType<typeof createForgeService>;

/** The way home: what was accepted becomes a pull request on the team's own host, and the card follows it. */
export function createForgeService(options: ForgeOptions) {
  const opener = createForgeOpener({ ...options, networks: options.forgeNetworks });
  const { openForge: open = opener.open } = options;
  const access = createForgeAccess({ ...options, open });
  const passIssues = createIssuePass(options);
  const rework = createForgeRework(options);
  const room = createPullRequestRoom({ ...options, access, passIssues, findIssueOfCard, rework });
  return {
    access,
    connections: createConnectionService({ ...options, open, access }),
    hooks: createHookService(options),
    passIssues,
    ...room,

    async stop(): Promise<void> {
      await room.stop();
      opener.close();
    },
  };
}
