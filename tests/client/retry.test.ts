import { afterEach, describe, expect, it, vi } from 'vitest';
import { Guildhall, GuildhallError } from '../../client/src/index.js';
import { type Script, startScriptedServer } from './client-world.js';

type Scripted = Awaited<ReturnType<typeof startScriptedServer>>;

let server: Scripted;
afterEach(() => {
  vi.restoreAllMocks();
  return server.stop();
});

async function clientOf(script: Parameters<typeof startScriptedServer>[0], retry = {}) {
  server = await startScriptedServer(script);
  return new Guildhall({ url: server.url, token: 'guild_pat_x', retry });
}

/** Records the waits of the client's retries and skips them. */
function recordWaits(): number[] {
  const waits: number[] = [];
  const real = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: () => void,
    ms?: number,
    ...rest: unknown[]
  ) => {
    // Timers of fetch itself run normally.
    if (!new Error().stack?.includes('core/retry')) return real(run, ms, ...(rest as []));
    waits.push(ms ?? 0);
    return real(run, 0);
  }) as typeof setTimeout);
  return waits;
}

const busy = (status: number, seconds?: number | string): Script => ({
  status,
  headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  body: { detail: 'Later' },
});
const BOARDS = { status: 200, body: { boards: [], total: 0 } };
const BOARD = { status: 201, body: { board_id: 'b' } };

describe('Client retries after 429, 502, 503 and 504', () => {
  it.each([429, 502, 503, 504])('retries a GET after a %i', async (status) => {
    const client = await clientOf([busy(status, 7), BOARDS]);
    const waits = recordWaits();
    expect(await client.listBoards()).toEqual({ boards: [], total: 0 });
    expect(waits).toContain(7000);
    expect(server.seen).toHaveLength(2);
  });

  it('retries a POST that only reads', async () => {
    const client = await clientOf([busy(503, 0), { status: 200, body: { memories: [], count: 0 } }]);
    await client.searchMemories({ agent_id: 'ada', query: 'tea' });
    expect(server.seen).toHaveLength(2);
  });

  it('retries a POST that creates, with one idempotency key for all attempts', async () => {
    const client = await clientOf([busy(503, 0), busy(429, 0), BOARD, BOARD]);
    await client.createBoard({ name: 'Engine', board_type: 'build' });
    await client.createBoard({ name: 'Engine', board_type: 'build' });
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it.each([502, 504])("retries a POST that creates after a proxy's %i", async (status) => {
    const proxied = { status, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' };
    const client = await clientOf([proxied, proxied, BOARD]);
    const waits = recordWaits();
    await client.createBoard({ name: 'Engine', board_type: 'build' }, { idempotencyKey: 'mine' });
    expect(waits).toEqual([500, 1000]);
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine']);
  });

  it("retries the service's own 502 if it has Retry-After", async () => {
    const asking = { ...busy(502, 2), headers: { 'x-request-id': 'r1', 'retry-after': '2' } };
    const client = await clientOf([asking, BOARDS]);
    const waits = recordWaits();
    await client.listBoards();
    expect(waits).toContain(2000);
  });

  it('retries a POST whose first attempt with the same key is still running', async () => {
    const client = await clientOf([busy(409, 1), BOARD]);
    const waits = recordWaits();
    await client.createBoard({ name: 'Engine', board_type: 'build' }, { idempotencyKey: 'mine' });
    expect(waits).toContain(1000);
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it('accepts a date in Retry-After', async () => {
    const client = await clientOf([busy(503, new Date(Date.now() + 5000).toUTCString()), BOARDS]);
    const waits = recordWaits();
    await client.listBoards();
    expect(waits.some((wait) => wait >= 3000 && wait <= 6000)).toBe(true);
  });

  it('waits longer each time without Retry-After', async () => {
    const client = await clientOf([busy(503), busy(503), busy(503), BOARDS]);
    const waits = recordWaits();
    await client.listBoards();
    expect(waits).toEqual([500, 1000, 2000]);
  });
});

describe('Client retries after a refused connection', () => {
  /** A client of a stopped service that starts again during the client's second wait. */
  async function clientOfAbsent(script: Script[]) {
    const { port, url, stop } = await startScriptedServer(script);
    await stop();
    const waits: number[] = [];
    const real = globalThis.setTimeout;
    let back: Promise<void> | undefined;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
      run: () => void,
      ms?: number,
      ...rest: unknown[]
    ) => {
      if (!new Error().stack?.includes('core/retry')) return real(run, ms, ...(rest as []));
      waits.push(ms ?? 0);
      if (waits.length < 2) return real(run, 0);
      back ??= startScriptedServer(script, port).then((started) => {
        server = started;
      });
      void back.then(run);
      return real(() => {}, 0);
    }) as typeof setTimeout);
    return { client: new Guildhall({ url, token: 'guild_pat_x' }), waits };
  }

  it('retries a call that reads after a refused connection', async () => {
    const { client, waits } = await clientOfAbsent([BOARDS]);
    expect(await client.listBoards()).toEqual({ boards: [], total: 0 });
    expect(waits).toEqual([500, 1000]);
  });

  it('retries a POST that only reads after a refused connection', async () => {
    const { client } = await clientOfAbsent([{ status: 200, body: { memories: [], count: 0 } }]);
    expect(await client.searchMemories({ agent_id: 'ada', query: 'tea' })).toMatchObject({ count: 0 });
  });

  it('retries a POST that creates after a refused connection, with its idempotency key', async () => {
    const { client } = await clientOfAbsent([BOARD]);
    await client.createBoard({ name: 'Engine', board_type: 'build' }, { idempotencyKey: 'mine' });
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine']);
  });

  it('does not retry calls without a key, stops after the given number, and stops after an abort', async () => {
    server = await startScriptedServer([BOARDS]);
    await server.stop();
    const { url } = server;
    const waits = recordWaits();
    const client = new Guildhall({ url, token: 'guild_pat_x', retry: { times: 3 } });
    for (const call of [
      () => client.updateBoard({ board_id: 'b', name: 'n' }),
      () => client.deleteBoard({ board_id: 'b' }),
      () => client.signIn({ email: 'a@b.test', password: 'secret word' }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 0 });
    expect(waits).toEqual([]);
    await expect(client.listBoards()).rejects.toMatchObject({ status: 0 });
    expect(waits).toEqual([500, 1000, 2000]);
    const controller = new AbortController();
    vi.restoreAllMocks();
    const aborted = new Guildhall({ url, retry: { times: 50 } }).listBoards(
      {},
      { signal: controller.signal },
    );
    controller.abort(new Error('Enough'));
    await expect(aborted).rejects.toThrow('Enough');
  });
});

describe('Calls that the client does not retry', () => {
  it.each([502, 504])(
    'does not retry a %i from the service itself, which has already waited',
    async (status) => {
      const headers = { 'x-request-id': 'r1' };
      const client = await clientOf([
        { status, headers, body: { detail: 'The repository cannot be reached' } },
        BOARDS,
      ]);
      await expect(client.listBoards()).rejects.toMatchObject({ status, requestId: 'r1' });
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each([
    ['a PATCH', (client: Guildhall) => client.updateBoard({ board_id: 'b', name: 'n' })],
    ['a DELETE', (client: Guildhall) => client.deleteBoard({ board_id: 'b' })],
    [
      'a POST without a key',
      (client: Guildhall) => client.signIn({ email: 'a@b.test', password: 'secret word' }),
    ],
  ])('does not retry %s', async (_, call) => {
    for (const status of [502, 503, 504]) {
      const client = await clientOf([busy(status, 0)]);
      await expect(call(client)).rejects.toMatchObject({ status, detail: 'Later', retryAfter: 0 });
      expect(server.seen).toHaveLength(1);
      await server.stop();
    }
  });

  it('does not retry a final error', async () => {
    const client = await clientOf([{ status: 409, body: { detail: 'Taken' } }]);
    await expect(client.createBoard({ name: 'Engine', board_type: 'build' })).rejects.toBeInstanceOf(
      GuildhallError,
    );
    expect(server.seen).toHaveLength(1);
  });

  it('does not retry beyond the limit, or after a wait over the maximum', async () => {
    const client = await clientOf([busy(503, 0)], { times: 2 });
    await expect(client.listBoards()).rejects.toMatchObject({ status: 503 });
    expect(server.seen).toHaveLength(3);
    await server.stop();
    const hurried = await clientOf([busy(429, 3600)]);
    await expect(hurried.listBoards()).rejects.toMatchObject({ status: 429, retryAfter: 3600 });
    expect(server.seen).toHaveLength(1);
  });

  it('does not retry aborted calls, also during the wait', async () => {
    const client = await clientOf([busy(503, 60)]);
    const controller = new AbortController();
    const call = client.listBoards({}, { signal: controller.signal, onResponse: () => {} });
    await vi.waitFor(() => expect(server.seen).toHaveLength(1), { timeout: 120_000 });
    controller.abort(new Error('Enough'));
    await expect(call).rejects.toThrow('Enough');
    expect(server.seen).toHaveLength(1);
  });
});
