import pg from 'pg';
import { readDatabaseUrl } from '../../../kernel/addresses.js';

interface Hosts {
  find(): Promise<string>;
  doubt(url: string): void;
  track(client: pg.Client, url: string): void;
}

const PROBE_TIMEOUT_MS = 2000;
/** How often to check that the current host still accepts writes. */
const WATCH_EVERY_MS = 2000;
/** Tolerates one slow response. */
const MOST_MISSES = 2;

/** Shared by all connections to one URL. */
const known = new Map<string, Hosts>();

/** Returns undefined for a single host that need not be writable. */
function hostsOf(url: string): Hosts | undefined {
  const found = known.get(url);
  if (found) return found;
  const parsed = readDatabaseUrl(url);
  if ('fault' in parsed || !parsed.mustWrite) return undefined;
  const hosts = createHosts(parsed.urls);
  known.set(url, hosts);
  return hosts;
}

export function anyHost(url: string): string {
  const parsed = readDatabaseUrl(url);
  return 'fault' in parsed ? url : parsed.urls[0];
}

/** Returns a client class that connects to the host that accepts writes. */
export function clientClass(url: string | undefined): typeof pg.Client {
  const hosts = url === undefined ? undefined : hostsOf(url);
  if (!hosts) return pg.Client;
  const connect = async (client: pg.Client, go: () => Promise<unknown>) => {
    const target = await hosts.find();
    // The pool has already given up on this connection.
    if (streamOf(client).destroyed) throw new Error('timeout expired');
    const { hostname, port } = new URL(target);
    Object.assign(client, { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 5432 });
    try {
      await go();
    } catch (error) {
      hosts.doubt(target);
      throw error;
    }
    hosts.track(client, target);
  };
  class HostClient extends pg.Client {}
  // The driver's signature has overloads that no function type satisfies.
  HostClient.prototype.connect = function connectToHost(this: pg.Client, done?: Done) {
    const connected = connect(this, () => dial.call(this)).then(() => this);
    if (done) connected.then(() => done(), done);
    return connected;
  } as unknown as pg.Client['connect'];
  return HostClient;
}

type Done = (error?: Error) => void;

const dial = pg.Client.prototype.connect as () => Promise<unknown>;

interface WithStream {
  connection: { stream: { destroyed: boolean; destroy(): void } };
}

const streamOf = (client: pg.Client) => (client as unknown as WithStream).connection.stream;

function createHosts(urls: readonly string[]): Hosts {
  let current: string | undefined;
  let finding: Promise<string> | undefined;
  let isWatched = false;
  let misses = 0;
  const clients = new Map<pg.Client, string>();

  /** Clients of a former primary would read stale data or wait forever. */
  const dropOthers = () => {
    for (const [client, url] of clients) if (url !== current) streamOf(client).destroy();
  };

  const find = async () => {
    if (current !== undefined) return current;
    finding ??= Promise.any(urls.map(requireWritable))
      .then((url) => {
        current = url;
        misses = 0;
        dropOthers();
        return url;
      })
      .catch(() => {
        throw Object.assign(new Error('No host of the database takes writes'), { code: '57P03' });
      })
      .finally(() => {
        finding = undefined;
      });
    return finding;
  };

  const watch = async () => {
    if (current === undefined) return void (await find().catch(() => {}));
    const asked = current;
    const answer = await isWritable(asked).catch(() => undefined);
    if (current !== asked) return;
    misses = answer === undefined ? misses + 1 : 0;
    if (answer === false || misses >= MOST_MISSES) {
      current = undefined;
      await find().catch(dropOthers);
    }
  };

  const schedule = () => {
    if (isWatched) return;
    isWatched = true;
    setTimeout(async () => {
      await watch();
      isWatched = false;
      if (clients.size > 0) schedule();
    }, WATCH_EVERY_MS).unref();
  };

  return {
    find,
    doubt(url) {
      if (current === url) current = undefined;
    },
    track(client, url) {
      clients.set(client, url);
      client.once('end', () => clients.delete(client));
      schedule();
    },
  };
}

async function requireWritable(url: string): Promise<string> {
  if (await isWritable(url)) return url;
  throw new Error('It takes no writes');
}

/** Throws when the host does not respond. */
async function isWritable(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: 'guildhall-probe',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ closed: boolean }>(
      "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as closed",
    );
    return rows[0]?.closed === false;
  } finally {
    void client.end().catch(() => {});
  }
}
