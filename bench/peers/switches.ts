import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { LoadOrder, LoadReport } from '../load.js';
import { median } from '../measure.js';
import { ask, forkProgram } from '../processes.js';
import type { BenchWorld } from '../row.js';
import { installPeer } from './install.js';
import type { UnleashOrder } from './unleash-server.js';

export interface Pace {
  seconds: number;
  rounds: number;
}

const CONNECTIONS = 32;

/** Compares our feature switches with the same number in Unleash, on the same database server. */
export async function compareSwitches(world: BenchWorld, pace: Pace): Promise<string[][]> {
  const path = `${world.url}/api/v1/brands/${world.brandId}/features`;
  const { etag, switches } = await readOurs(path, world.bearer);
  const unleash = await startUnleash(world, switches);
  const get = (url: string, headers: Record<string, string>): LoadOrder => ({
    url,
    method: 'GET',
    headers,
    connections: CONNECTIONS,
    seconds: pace.seconds,
  });
  const orders = {
    ours: get(path, world.bearer),
    oursUnchanged: get(path, { ...world.bearer, 'if-none-match': etag }),
    client: get(`${unleash.url}/api/client/features`, { authorization: unleash.client }),
    clientUnchanged: get(`${unleash.url}/api/client/features`, {
      authorization: unleash.client,
      'if-none-match': unleash.etag,
    }),
    admin: get(`${unleash.url}/api/admin/projects/default/features`, { authorization: unleash.admin }),
    search: get(`${unleash.url}/api/admin/search/features?limit=50`, { authorization: unleash.admin }),
  };
  const speed = await measureInTurns(orders, pace.rounds);
  const row = (what: string, ours: keyof typeof orders, theirs: keyof typeof orders, bar?: number) => {
    const ratio = speed[ours] / speed[theirs];
    return [
      what,
      `${speed[ours].toFixed(0)} /s`,
      `${speed[theirs].toFixed(0)} /s`,
      ratio.toFixed(1),
      bar ? `≥ ${bar}` : '',
      bar ? (ratio >= bar ? 'met' : 'NOT MET') : '',
    ];
  };
  const name = `Unleash ${unleash.version}`;
  return [
    row(`${switches} switches: ${name}, client features, memoized`, 'ours', 'client', 2),
    row(`unchanged (304): ${name}, client features, memoized`, 'oursUnchanged', 'clientUnchanged', 2),
    row(`${switches} switches: ${name}, admin list of a project`, 'ours', 'admin', 10),
    row(`${switches} switches: ${name}, admin search`, 'ours', 'search', 10),
  ];
}

async function readOurs(path: string, headers: Record<string, string>) {
  const answer = await fetch(path, { headers });
  const features = (await answer.json()) as { switches: object };
  const switches = Object.keys(features.switches).length;
  return { etag: answer.headers.get('etag') ?? '', switches };
}

async function startUnleash(world: BenchWorld, switches: number) {
  const { version, resolve } = installPeer('unleash-server');
  const address = new URL(world.databaseUrl!);
  const own = new pg.Client({ connectionString: world.databaseUrl });
  await own.connect();
  await own.query('create database unleash');
  await own.end();
  const secret = () => randomBytes(16).toString('hex');
  const tokens = { admin: `*:*.${secret()}`, client: `*:development.${secret()}` };
  const order: UnleashOrder = {
    main: resolve(),
    database: {
      host: address.searchParams.get('host') ?? address.hostname,
      port: Number(address.port),
      user: address.username,
      database: 'unleash',
    },
    tokens,
  };
  const { url, fault } = await ask<{ url: string; fault?: string }>(
    forkProgram('./peers/unleash-server.ts', { NODE_ENV: 'production' }),
    order,
  );
  if (fault) throw new Error(fault);
  for (let n = 0; n < switches; n += 1) await addSwitch(url, tokens.admin, `switch-${n}`);
  const first = await fetch(`${url}/api/client/features`, { headers: { authorization: tokens.client } });
  const shown = ((await first.json()) as { features: unknown[] }).features.length;
  if (shown !== switches) throw new Error(`Unleash shows ${shown} of ${switches} switches`);
  return { url, version, ...tokens, etag: first.headers.get('etag') ?? '' };
}

/** Enables the switch for everyone in development, as ours is enabled for a workspace. */
async function addSwitch(url: string, token: string, name: string): Promise<void> {
  const features = `${url}/api/admin/projects/default/features`;
  const post = async (path: string, body: object) => {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`Unleash answered ${answer.status}: ${await answer.text()}`);
  };
  await post(features, { name, type: 'release' });
  await post(`${features}/${name}/environments/development/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'default', groupId: name },
  });
  await post(`${features}/${name}/environments/development/on`, {});
}

/** Returns the medians over rounds that alternate between the sides. */
async function measureInTurns<Name extends string>(
  orders: Record<Name, LoadOrder>,
  rounds: number,
): Promise<Record<Name, number>> {
  const load = forkProgram('./load.ts');
  const names = Object.keys(orders) as Name[];
  const speeds = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { requestsPerSecond } = await ask<LoadReport>(load, orders[name]);
      // The first round is a warm-up.
      if (round >= 0) speeds.get(name)!.push(requestsPerSecond);
    }
  return Object.fromEntries(names.map((name) => [name, median(speeds.get(name)!)])) as Record<Name, number>;
}
