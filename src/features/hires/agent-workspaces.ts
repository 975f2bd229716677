import { access, chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../platform/files/atomic-file.js';

/** The marked section that the hourly export of memories fills; the same marks as its own. */
const EMPTY_MEMORY = `# Memory

<!-- guildhall:memory:begin -->
<!-- guildhall:memory:end -->
`;

export interface AgentConfiguration {
  agent_id: string;
  name: string;
  [key: string]: unknown;
}

/** The directory of each agent, below one folder: its configuration entry `agent.json` and its `MEMORY.md`. */
export interface AgentWorkspaces {
  /** Can be repeated: the entry is written anew, a memory that is there stays as it is. */
  set(configuration: AgentConfiguration): Promise<void>;
  /** True when nothing of it is left; never throws. */
  remove(agentId: string): Promise<boolean>;
}

/** Instructions and memories are for the service alone. */
const PRIVATE = { mode: 0o600 };

const AGENT_ID = /^[A-Za-z0-9_-]{1,255}$/;

export function createAgentWorkspaces(agentsDir: string): AgentWorkspaces {
  const folderOf = (agentId: string): string => {
    if (!AGENT_ID.test(agentId)) throw new Error('An agent id that is no plain name has no folder');
    return join(agentsDir, agentId);
  };

  return {
    async set(configuration) {
      const folder = folderOf(configuration.agent_id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // A folder that was there may be open to everybody; where it is somebody else's, it stays as they made it.
      await chmod(folder, 0o700).catch(() => undefined);
      await replaceFile(join(folder, 'agent.json'), `${JSON.stringify(configuration, null, 2)}\n`, PRIVATE);
      const memory = join(folder, 'MEMORY.md');
      if (!(await exists(memory))) await replaceFile(memory, EMPTY_MEMORY, PRIVATE);
    },

    async remove(agentId) {
      try {
        await rm(folderOf(agentId), { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
