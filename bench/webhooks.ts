import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask, forkProgram, nextMessage, runBench, startService } from './processes.js';
import { reportRow } from './report.js';
import { describeTimes } from './times.js';

const help = `npm run bench -- webhooks [options]

Moves cards at a steady rate while a webhook is told of each, and reads beside it: deliveries a minute, and how long the
interface takes meanwhile.

  --rate <n>       cards changed per second (170, which is 10,200 messages a minute)
  --webhooks <n>   how many are told of each change (1); with 5 of them a rate of 34 is as many messages
  --seconds <n>    how long (60)
  --warm-up <n>    seconds of the same before it, which count only as deliveries that must arrive (10)
  --boards <n>     boards over which the cards are spread (20)
  --without        the same without a webhook, to compare with`;

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '170' },
    webhooks: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '10' },
    boards: { type: 'string', default: '20' },
    without: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Reads per second during the writes. */
const READS = 20;

type Call = <T>(method: string, path: string, payload?: object) => Promise<T>;

/** As many connections as a busy team has callers; more calls wait for a free one. */
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

const caller =
  (address: string, headers: Record<string, string>): Call =>
  <T>(method: string, path: string, payload?: object) =>
    new Promise<T>((resolve, reject) => {
      const body = payload ? JSON.stringify(payload) : undefined;
      const asked = request(`${address}/api/v1${path}`, {
        method,
        agent,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      });
      asked.on('error', reject);
      asked.on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        if ((response.statusCode ?? 500) < 300) resolve((text ? JSON.parse(text) : undefined) as T);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
      asked.end(body);
    });

/** Creates a workspace with an admin, and boards with one card each. */
async function fill(operator: Call, address: string) {
  const { brand_id } = await operator<{ brand_id: number }>('POST', '/admin/brands', {
    name: 'Bench',
    plan: 'enterprise',
    scope_ceiling: ['brand:read', 'brand:admin'],
  });
  const { user_id } = await operator<{ user_id: number }>('POST', '/admin/users', {
    email: 'bench@example.test',
    full_name: 'Bench',
  });
  await operator('PUT', `/admin/brands/${brand_id}/members/${user_id}`, { role: 'admin' });
  const { token } = await operator<{ token: string }>('POST', `/admin/brands/${brand_id}/tokens`, {
    user_id,
    name: 'bench',
    scopes: ['brand:read', 'brand:admin'],
  });
  const call = caller(address, { authorization: `Bearer ${token}` });
  const cards: string[] = [];
  for (let n = 0; n < Number(options.boards); n += 1) {
    const board = await call<{ board_id: string }>('POST', '/board/boards', { name: `Board ${n}` });
    const card = await call<{ id: string }>('POST', `/board/boards/${board.board_id}/tasks`, {
      title: 'Card',
    });
    cards.push(card.id);
  }
  return { call, cards, webhooks: `/brands/${brand_id}/webhooks` };
}

/** Starts the work at a steady rate regardless of the answers, and times each run. */
async function steadily(
  rate: number,
  seconds: number,
  work: (n: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  const began = performance.now();
  for (let n = 0; n < rate * seconds; n += 1) {
    const pause = (n / rate) * 1000 - (performance.now() - began);
    if (pause > 1) await wait(pause);
    const asked = performance.now();
    const call = work(n).then(() => void times.push(performance.now() - asked));
    running.add(call);
    void call.finally(() => running.delete(call));
  }
  await Promise.all(running);
  return times;
}

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, {
    EMBEDDER: 'none',
    WEBHOOK_NETWORKS: '127.0.0.0/8',
  });
  const receiver = forkProgram('./webhooks-receiver.ts');
  const { port } = await nextMessage<{ port: number }>(receiver);
  const { call, cards, webhooks } = await fill(caller(url, { 'x-admin-key': adminKey }), url);
  const listeners = options.without ? 0 : Number(options.webhooks);
  for (let n = 0; n < listeners; n += 1)
    await call('POST', webhooks, { url: `http://127.0.0.1:${port}/${n}`, events: ['*'] });

  const rate = Number(options.rate);
  const seconds = Number(options.seconds);
  const warmUp = Number(options['warm-up']);
  const count = () => ask<{ received: number; different: number }>(receiver, {});
  const load = (duration: number) =>
    Promise.all([
      steadily(rate, duration, (n) =>
        call('PATCH', `/board/tasks/${cards[n % cards.length]}`, { title: `Card ${n} of ${duration}` }),
      ),
      steadily(READS, duration, (n) => call('GET', `/board/tasks/${cards[n % cards.length]}`)),
    ]);
  await load(warmUp);
  const before = (await count()).different;
  const began = performance.now();
  const [writes, reads] = await load(seconds);
  const expected = listeners * rate * (warmUp + seconds);
  let counted = await count();
  const behind = expected - counted.different;
  for (let tries = 0; tries < 600 && counted.different < expected; tries += 1) {
    await wait(100);
    counted = await count();
  }
  const minutes = (performance.now() - began) / 60_000;
  reportRow('deliveries a minute', `${Math.round((counted.different - before) / minutes)}`);
  reportRow('delivered', `${counted.different} of ${expected}, ${counted.received} requests`);
  reportRow('not yet delivered at the last write', String(behind));
  reportRow('concurrent writes', describeTimes(writes));
  reportRow('concurrent reads', describeTimes(reads));
}

await runBench(options.help ? help : undefined, measure);
