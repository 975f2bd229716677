import autocannon, { type Client } from 'autocannon';

/** The load generator runs in its own process, so that it does not disturb the measurements of the parent. */
export interface LoadOrder {
  url: string;
  paths?: string[];
  method: string;
  headers: Record<string, string>;
  body?: string;
  connections: number;
  seconds: number;
}

export interface LoadReport {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  failures: number;
  /** Failures with status 429 or 503. */
  refusedPerSecond: number;
}

function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const REQUESTS_PER_CONNECTION = 50;

/** Repeating the same write would change nothing, so each connection rotates paths and sends new texts. */
function varyRequests({ method, headers, paths, body }: LoadOrder) {
  if (!paths && !body?.includes('{{vary}}')) return undefined;
  let connections = 0;
  return (client: Client) => {
    const first = connections++ * REQUESTS_PER_CONNECTION;
    const requests = Array.from({ length: REQUESTS_PER_CONNECTION }, (_, i) => ({
      method,
      headers,
      body: body?.replaceAll('{{vary}}', `text-${first + i}`),
      ...(paths && { path: paths[(first + i) % paths.length] }),
    }));
    client.setRequests(requests);
  };
}

async function run(order: LoadOrder): Promise<LoadReport> {
  const times: number[] = [];
  const { seconds, paths: _, ...request } = order;
  const instance = autocannon({ ...request, setupClient: varyRequests(order), duration: seconds });
  // Autocannon's own histogram has a resolution of 1 ms, which is too coarse for a local server.
  let refused = 0;
  instance.on('response', (_client, status, _bytes, milliseconds) => {
    if (status === 429 || status === 503) refused += 1;
    else times.push(milliseconds);
  });
  const result = await instance;
  const sorted = Float64Array.from(times).sort();
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    failures: result.errors + result.timeouts + result.non2xx,
    refusedPerSecond: refused / result.duration,
  };
}

process.on('message', async (order: LoadOrder) => {
  process.send?.(await run(order));
});
process.on('disconnect', () => process.exit());
