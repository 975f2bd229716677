import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWithin } from '../support/agent-programs.js';
import { makeDataDir, Program } from '../support/program.js';
import { buildProgram, PROGRAM } from './cli-world.js';

/**
 * Runs the pull request guide as pasted against the demo, with a real desk, git, repository host and merge.
 */

const GUIDE = new URL('../../docs/guide/pull-requests.md', import.meta.url);

let data: Awaited<ReturnType<typeof makeDataDir>>;
let program: Program;
let address: string;

beforeAll(async () => {
  await buildProgram();
  data = await makeDataDir();
  program = new Program({ DATA_DIR: data.path });
  address = await program.ready();
  await program.says(/on a simulated host/);
});

afterAll(async () => {
  await program?.end();
  await data?.remove();
});

const printed = (pattern: RegExp): string => pattern.exec(program.output)![1]!;

/** The guide's commands, except commands that depend on the reader's own host. */
const readGuide = (): string =>
  [...readFileSync(GUIDE, 'utf8').matchAll(/^```bash\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block!)
    .filter((block) => !block.startsWith('export '))
    .join('\n');

/** The reader's environment, with the simulated repository host. */
function makeReader(): Record<string, string> {
  const bin = join(data.path, 'reader-bin');
  mkdirSync(bin);
  const line = `exec '${process.execPath}' '${PROGRAM}' "$@"`;
  writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const host = JSON.parse(readFileSync(join(data.path, 'simulated-host/demo-host.json'), 'utf8'));
  return {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: data.path,
    GUILDHALL_URL: address,
    GUILDHALL_TOKEN: printed(/Authorization: Bearer (\S+?)'/),
    CARD: printed(/^Hand (\S+) to the desk/m),
    KIND: 'github',
    API_URL: `http://127.0.0.1:${host.port}/api/v3`,
    REPOSITORY: 'simulated-host/lighthouse',
    HOST_TOKEN: host.token,
  };
}

/** A build needs an indexed project, which can take a while after the start on a busy machine. */
const UNTIL_INDEXED = `
  lighthouse=$(guildhall cards show "$CARD" --json project_id | grep -o '[0-9a-f-]\\{36\\}')
  until guildhall api GET "/api/v1/projects/$lighthouse/index" --json status | grep -q ready; do sleep 1; done`;

describe('docs/guide/pull-requests.md', () => {
  it('leads from a card through an accepted build and its pull request to the merge, which finishes the card', async () => {
    const env = makeReader();
    const cwd = join(data.path, 'reader');
    mkdirSync(cwd);
    const script = `set -euo pipefail\n${UNTIL_INDEXED}\n${readGuide()}`;
    const { code, output } = await runWithin(240_000, ['bash', '-c', script], { cwd, env });
    expect(code, output).toBe(0);
    expect(output).toContain('"pr_state": "merged"');
    expect(output).not.toContain(env['HOST_TOKEN']);

    const bearer = { authorization: `Bearer ${env['GUILDHALL_TOKEN']}` };
    const read = async (path: string) => (await fetch(address + path, { headers: bearer })).json();
    const { tasks } = (await read('/api/v1/factory/builds?review=pushed&with=tasks')) as {
      tasks: { pr_number: number | null; pr_state: string | null }[];
    };
    expect(tasks).toContainEqual(expect.objectContaining({ pr_number: 1, pr_state: 'merged' }));
    const page = await fetch(`${printed(/^ {2}(http\S+\/simulated-host\/lighthouse)$/m)}/pull/1`);
    expect(await page.text()).toMatch(/Simulated host[\s\S]*<b>merged<\/b>/);
  }, 300_000);

  it("keeps the simulated host's address and data after a restart", async () => {
    const web = printed(/^ {2}(http\S+\/simulated-host\/lighthouse)$/m);
    const { port } = new URL(address);
    expect(await program.end()).toBe(0);
    await expect(fetch(web)).rejects.toThrow();
    program = new Program({ DATA_DIR: data.path, PORT: port });
    address = await program.ready();
    expect(await (await fetch(web)).text()).toContain('#1 ');
    expect(await program.end()).toBe(0);
    program = new Program({ DATA_DIR: data.path, PORT: port, ENVIRONMENT: 'production' });
    await program.ready();
    await expect(fetch(web)).rejects.toThrow();
  }, 300_000);
});
