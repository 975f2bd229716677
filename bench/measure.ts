import type { FloorOrder } from './floor.js';
import type { LoadOrder, LoadReport } from './load.js';
import type { BenchRequest, BenchRow, BenchWorld } from './row.js';

export type RowResult =
  | { name: string; skipped: string }
  | {
      name: string;
      kind: BenchRow['kind'];
      ours: LoadReport;
      floor: LoadReport;
      ratio: number;
      failures: number;
    };

interface Measurement {
  row: BenchRow;
  world: BenchWorld;
  floorUrl: string;
  pace: { seconds: number; rounds: number; connections: number };
  ask: {
    floor: (order: FloorOrder) => Promise<{ fault?: string }>;
    load: (order: LoadOrder) => Promise<LoadReport>;
  };
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function summarize(reports: LoadReport[]): LoadReport {
  return {
    requestsPerSecond: median(reports.map((report) => report.requestsPerSecond)),
    p50: median(reports.map((report) => report.p50)),
    p99: median(reports.map((report) => report.p99)),
    failures: reports.reduce((sum, report) => sum + report.failures, 0),
    refusedPerSecond: median(reports.map((report) => report.refusedPerSecond)),
  };
}

async function tryOnce(order: LoadOrder): Promise<{ status: number; text: string }> {
  const answer = await fetch(order.url, { method: order.method, headers: order.headers, body: order.body });
  return { status: answer.status, text: await answer.text() };
}

/** The body for a route that does not exist, as opposed to a missing record, which is an error of the row. */
const isUnknownRoute = (status: number, text: string) => status === 404 && text.includes('"Not found"');

function orderOf(url: string, request: BenchRequest, pace: Measurement['pace']): LoadOrder {
  const { method = 'GET', path, paths } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    ...request.headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const { connections, seconds } = pace;
  return { url: url + path, paths, method, headers, body, connections, seconds };
}

export async function measureRow({ row, world, floorUrl, pace, ask }: Measurement): Promise<RowResult> {
  const { name } = row;
  let orders: { ours: LoadOrder; floor: LoadOrder };
  try {
    const made = (await row.setup?.(world)) ?? {};
    const floor = row.floor(world, made);
    const floorRequest = 'request' in floor ? floor.request : { path: `/${name}` };
    orders = {
      ours: orderOf(world.url, row.request(world, made), pace),
      floor: orderOf('request' in floor ? world.url : floorUrl, floorRequest, pace),
    };
    if (!('request' in floor)) {
      const { fault } = await ask.floor({ name, floor });
      if (fault) return { name, skipped: fault };
    }
  } catch (error) {
    return { name, skipped: (error as Error).message };
  }

  const ours = await tryOnce(orders.ours);
  if (isUnknownRoute(ours.status, ours.text)) return { name, skipped: 'the service has no such route' };
  if (ours.status >= 300) return { name, skipped: `the service answered ${ours.status}: ${ours.text}` };
  const floor = await tryOnce(orders.floor);
  if (floor.status !== 200) return { name, skipped: `the floor answered ${floor.status}: ${floor.text}` };

  return compare(row, orders, pace.rounds, ask.load);
}

async function compare(
  { name, kind }: BenchRow,
  orders: { ours: LoadOrder; floor: LoadOrder },
  rounds: number,
  load: (order: LoadOrder) => Promise<LoadReport>,
): Promise<RowResult> {
  const reports = { ours: [] as LoadReport[], floor: [] as LoadReport[] };
  for (const side of ['ours', 'floor'] as const) await load({ ...orders[side], seconds: 1 });
  for (let round = 0; round < rounds; round++) {
    // Alternates which side goes first, so that a drift of the machine favors neither.
    const sides = round % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
    for (const side of sides) reports[side].push(await load(orders[side]));
  }
  const ours = summarize(reports.ours);
  const floor = summarize(reports.floor);
  return {
    name,
    kind,
    ours,
    floor,
    ratio: ours.requestsPerSecond / floor.requestsPerSecond,
    failures: ours.failures + floor.failures,
  };
}
