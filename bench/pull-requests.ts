import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startSimulatedForge } from '../src/demo/host/simulated-forge.js';
import { HostedRepository } from '../tests/support/hosted-repository.js';
import { runBench, startService } from './processes.js';
import { describeTimes } from './times.js';

const help = `npm run bench -- pull-requests [options]

Merges pull requests on a simulated host, one after another, and looks when their cards are done.

  --merges <n>     how many (60)
  --without        without a webhook: they are found by the pass that asks every two minutes`;

const { values: options } = parseArgs({
  options: {
    merges: { type: 'string', default: '60' },
    without: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const TOKEN = 'token-of-the-bench';
const REPOSITORY = 'bench/app';
const LOOK_MS = 20;

type Call = <T>(method: string, path: string, payload?: object) => Promise<T>;

const caller =
  (address: string, headers: Record<string, string>): Call =>
  async <T>(method: string, path: string, payload?: object) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: payload && JSON.stringify(payload),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  };

async function openWorkspace(url: string, adminKey: string): Promise<Call> {
  const operator = caller(`${url}/api/v1/admin`, { 'x-admin-key': adminKey });
  const scopes = ['brand:read', 'brand:admin'];
  const { brand_id } = await operator<{ brand_id: number }>('POST', '/brands', {
    name: 'Bench',
    plan: 'enterprise',
    scope_ceiling: scopes,
  });
  const person = { email: 'bench@example.test', full_name: 'Bench' };
  const { user_id } = await operator<{ user_id: number }>('POST', '/users', person);
  await operator('PUT', `/brands/${brand_id}/members/${user_id}`, { role: 'admin' });
  const token = { user_id, name: 'bench', scopes };
  const made = await operator<{ token: string }>('POST', `/brands/${brand_id}/tokens`, token);
  return caller(`${url}/api/v1`, { authorization: `Bearer ${made.token}` });
}

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, {
    EMBEDDER: 'none',
    FORGE_NETWORKS: '127.0.0.0/8',
  });
  const call = await openWorkspace(url, adminKey);
  const hosted = new HostedRepository();
  const host = await startSimulatedForge({
    repositories: [{ name: REPOSITORY, path: hosted.path, defaultBranch: 'main' }],
    token: TOKEN,
  });
  try {
    const { project_id } = await call<{ project_id: string }>('POST', '/projects', { name: 'Code' });
    const forge = { kind: 'github', api_url: host.apiUrl, repository: REPOSITORY, token: TOKEN };
    await call('PUT', `/projects/${project_id}/forge`, forge);
    const { secret } = await call<{ secret: string }>('POST', `/projects/${project_id}/forge/hook-secret`);
    if (!options.without) host.setHook({ url: `${url}/api/v1/hooks/${project_id}`, secret });
    const { board_id } = await call<{ board_id: string }>('POST', '/board/boards', { name: 'Work' });
    const onHost = caller(`${host.apiUrl}/repos/${REPOSITORY}`, { authorization: `Bearer ${TOKEN}` });
    const tied: { card: string; number: number }[] = [];
    for (let n = 0; n < Number(options.merges); n += 1) {
      hosted.branch(`work-${n}`, { [`${n}.md`]: `${n}\n` });
      const pull = { title: `Work ${n}`, head: `work-${n}`, base: 'main', body: '' };
      const { number } = await onHost<{ number: number }>('POST', '/pulls', pull);
      const card = { title: `Card ${n}`, project_id, status: 'in_review' };
      const { id } = await call<{ id: string }>('POST', `/board/boards/${board_id}/tasks`, card);
      await call('POST', `/board/tasks/${id}/pull-request`, { number });
      tied.push({ card: id, number });
    }
    const times: number[] = [];
    const merge = async ({ card, number }: (typeof tied)[number]) => {
      await host.merge(number);
      const began = performance.now();
      while ((await call<{ status: string }>('GET', `/board/tasks/${card}`)).status !== 'done')
        await wait(options.without ? 10 * LOOK_MS : LOOK_MS);
      times.push(performance.now() - began);
    };
    // Without webhooks each merge takes up to two minutes to be noticed, so all are waited for together.
    if (options.without) await Promise.all(tied.map(merge));
    else for (const each of tied) await merge(each);
    console.log(`From the merge to a card that is done: ${describeTimes(times)}`);
  } finally {
    await host.close();
    hosted.remove();
  }
}

await runBench(options.help ? help : undefined, measure);
