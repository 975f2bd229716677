import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryFiles } from '../memory/export/memory-file.js';
import { createAgentWorkspaces } from './hire-building.js';

let home: string;
let agentsDir: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'guildhall-agents-'));
  agentsDir = join(home, 'agents');
});
afterEach(() => rm(home, { recursive: true, force: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function modes(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const files = names.map(async (name) => [name, await modeOf(join(folder, name))]);
  return { '.': await modeOf(folder), ...Object.fromEntries(await Promise.all(files)) };
}

describe('Files of agents', () => {
  it('are readable only by the service', async () => {
    await createAgentWorkspaces(agentsDir).set({ agent_id: 'scout', name: 'Scout' });
    expect(await modes(join(agentsDir, 'scout'))).toEqual({
      '.': '700',
      'agent.json': '600',
      'MEMORY.md': '600',
    });
    expect(await modeOf(agentsDir)).toBe('700');
  });

  it('are readable only by the service when a memory export created them or their folder had been open', async () => {
    const folder = join(agentsDir, 'scribe');
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
    await memoryFiles(agentsDir).put('scribe', { replaces: undefined, content: Buffer.from('# Memory\n') });
    expect(await modes(folder)).toEqual({ '.': '700', 'MEMORY.md': '600' });
    await chmod(folder, 0o755);
    await createAgentWorkspaces(agentsDir).set({ agent_id: 'scribe', name: 'Scribe' });
    expect(await modes(folder)).toEqual({ '.': '700', 'agent.json': '600', 'MEMORY.md': '600' });
  });
});
