import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedDemo } from '../../src/demo/demo.js';
import { runWithin } from '../support/agent-programs.js';
import { startTestApp, type World } from '../support/app.js';

/** Runs the guide's shell examples as pasted against the demo data. */
describe('docs/guide/agents.md', async () => {
  const guide = await readFile(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8');
  const examples = [...guide.matchAll(/^```bash\n(curl [\s\S]*?)^```$/gm)].map(([, text]) => text!);
  let world: World;
  let env: Record<string, string>;

  beforeAll(async () => {
    world = await startTestApp();
    const { token } = await seedDemo(world.app);
    await world.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = world.server.server.address() as AddressInfo;
    env = { GUILDHALL_URL: `http://127.0.0.1:${port}`, GUILDHALL_TOKEN: token };
  });

  afterAll(() => world?.stop());

  const paste = async (text: string) => {
    const { code, output } = await runWithin(20_000, ['bash', '-c', text], { cwd: '/', env });
    expect(code, output).toBe(0);
    expect(output).not.toMatch(/"isError":\s*true|"error":/);
    return output;
  };

  it.each(examples.map((text, index) => [index + 1, text]))('runs example %i as pasted', async (_, text) => {
    await paste(String(text));
  });

  it('lists the direct tools', async () => {
    const listed = await paste(examples.find((text) => text.includes('tools/list'))!);
    const names = [...listed.matchAll(/"name":"([a-z_]+)"/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(guide).toContain(`\`${name}\``);
  });

  it('creates one board when the example with the idempotency key runs repeatedly', async () => {
    const example = examples.find((text) => text.includes('Idempotency-Key'))!;
    expect(await paste(example)).toBe(await paste(example));
  });
});
