import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedDemo } from '../../src/demo/demo.js';
import { runWithin } from '../support/agent-programs.js';
import { startTestApp, type World } from '../support/app.js';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the guide's examples in order, as pasted, against the demo data. */
describe('docs/guide/webhooks.md', async () => {
  const guide = await readFile(new URL('../../docs/guide/webhooks.md', import.meta.url), 'utf8');
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
      ([, text]) => text!,
    );
  const [, makeIt, tryIt, rotateIt] = blocks('bash') as [string, string, string, string];
  let world: World;
  let folder: string;
  let env: Record<string, string>;
  let receiver: ChildProcess | undefined;

  beforeAll(async () => {
    world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' }, workers: true });
    const { token } = await seedDemo(world.app);
    await world.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = world.server.server.address() as AddressInfo;
    folder = await mkdtemp(join(tmpdir(), 'guildhall-guide-'));
    env = {
      GUILDHALL_URL: `http://127.0.0.1:${port}`,
      GUILDHALL_TOKEN: token,
      RECEIVER_URL: `http://127.0.0.1:${await freePort()}/guildhall`,
    };
  });

  afterAll(async () => {
    receiver?.kill();
    await world?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const paste = async (...texts: string[]) => {
    const { code, output } = await runWithin(20_000, ['bash', '-ec', texts.join('\n')], { cwd: folder, env });
    expect(code, output).toBe(0);
    return output;
  };

  it('leads from pasted examples to a verified message', async () => {
    await paste(makeIt);
    expect(JSON.parse(await readFile(join(folder, 'webhook.json'), 'utf8'))).toMatchObject({
      url: env['RECEIVER_URL'],
      events: ['task.moved', 'task.commented'],
      secret: expect.stringMatching(/^whsec_/),
    });
    await writeFile(join(folder, 'receiver.mjs'), blocks('js')[0]!);
    receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { ...env, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    receiver.stdout!.on('data', (chunk) => {
      said += chunk;
    });
    while (!said.includes('listening')) await once(receiver.stdout!, 'data');

    // The variables of the first block, which a shell would still have.
    const remembered = makeIt.split('\n').slice(0, 2).join('\n');
    const output = await paste(remembered, tryIt);
    expect(output).toMatch(/"status":"delivered"/);
    expect(said).toContain('webhook.test {"webhook_id"');
    await paste(remembered, tryIt.split('\n')[0]!, rotateIt);
    expect(JSON.parse(await readFile(join(folder, 'secret.json'), 'utf8'))).toEqual({
      secret: expect.stringMatching(/^whsec_/),
    });
    await paste(remembered, tryIt);
    expect(said.match(/webhook\.test/g)).toHaveLength(2);
  });
});
