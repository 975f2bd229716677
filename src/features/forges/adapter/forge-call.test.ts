import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { longestHold } from '../../../../tests/support/event-loop.js';
import { type HostStub, type StubAnswer, startHostStub } from '../../../../tests/support/host-stub.js';
import type { ForgeFailed } from './forge.js';
import { createForgeCaller, type ForgeCallOptions } from './forge-call.js';

const NOW = new Date('2026-05-04T03:02:01Z');
const TOKEN = 'Bearer secretOfTheTest';
const LOOPBACK = ['127.0.0.0/8'];
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function calling(options: Partial<ForgeCallOptions> = {}) {
  const caller = createForgeCaller({
    networks: LOOPBACK,
    clock: { now: () => NOW },
    version: '1.2.3',
    ...options,
  });
  closing.push(() => caller.close());
  const call = (url: string, method: 'GET' | 'POST' = 'GET', body?: unknown) => ({
    method,
    url,
    headers: { authorization: TOKEN },
    ...(body !== undefined && { body }),
  });
  return {
    ask: (url: string, method?: 'GET' | 'POST', body?: unknown) => caller.ask(call(url, method, body)),
    readTail: (url: string, lines = 3) => caller.readTail(call(url), lines),
  };
}

async function hosting(answers: Record<string, StubAnswer>): Promise<HostStub> {
  const host = await startHostStub(answers);
  closing.push(() => host.close());
  return host;
}

const failing = (work: Promise<unknown>): Promise<ForgeFailed> =>
  work.then(
    () => expect.fail('it went well'),
    (error: ForgeFailed) => {
      expect(error.name).toBe('ForgeFailed');
      expect(`${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain('secretOfTheTest');
      return error;
    },
  );

describe('Address check at connection time', () => {
  it.each(['https://127.0.0.1:1', 'http://127.0.0.1:1', 'https://2130706433:1', 'https://[::ffff:7f00:1]:1'])(
    'rejects a loopback address that is not configured: %s',
    async (url) => {
      expect(await failing(calling({ networks: [] }).ask(url))).toMatchObject({
        fault: 'unreachable',
        message: 'The address may not be dialled',
      });
    },
  );

  it('rejects a name that now resolves to a private address (DNS rebinding)', async () => {
    const { ask } = calling({ networks: [], resolve: async () => ['127.0.0.1', '169.254.169.254'] });
    expect(await failing(ask('https://git.acme.test/'))).toMatchObject({
      message: 'The address may not be dialled',
    });
  });

  it('allows plain http only to loopback, regardless of the configured networks', async () => {
    const { ask } = calling({ networks: ['10.0.0.0/8', ...LOOPBACK], resolve: async () => ['127.0.0.1'] });
    const host = await hosting({ 'GET /': { content: 1 } });
    for (const url of ['http://10.0.0.1/', `http://git.acme.test:${host.port}/`])
      expect(await failing(ask(url))).toMatchObject({ message: 'The address is not encrypted' });
    expect((await ask(`${host.origin}/`)).content).toBe(1);
    expect((await calling().ask(`http://localhost:${host.port}/`)).content).toBe(1);
  });

  it('connects to a trusted origin, but not to another port of the same machine', async () => {
    const [trusted, other] = [await hosting({ 'GET /': { content: 1 } }), await hosting({})];
    const { ask } = calling({ networks: [], trustedOrigins: () => [trusted.origin] });
    expect((await ask(`${trusted.origin}/`)).content).toBe(1);
    expect(await failing(ask(`${other.origin}/`))).toMatchObject({
      message: 'The address may not be dialled',
    });
    expect(other.calls).toEqual([]);
  });
});

describe('Forge call', () => {
  const answered = async (answer: StubAnswer, options?: Partial<ForgeCallOptions>) =>
    calling(options).ask(`${(await hosting({ 'GET /': answer })).origin}/`);

  it('sends body and token and returns status and content', async () => {
    const host = await hosting({ 'POST /a': { status: 201, content: { b: 'ü' } } });
    const answer = await calling().ask(`${host.origin}/a?b=c`, 'POST', { d: 'ö' });
    expect(answer).toMatchObject({ status: 201, content: { b: 'ü' } });
    expect(host.calls[0]).toMatchObject({
      path: '/a?b=c',
      body: { d: 'ö' },
      headers: {
        authorization: TOKEN,
        'user-agent': 'Guildhall/1.2.3',
        'content-type': 'application/json',
        'content-length': '10',
      },
    });
  });

  it.each([
    [400, 'invalid'],
    [401, 'refused'],
    [403, 'refused'],
    [404, 'missing'],
    [405, 'invalid'],
    [409, 'invalid'],
    [410, 'missing'],
    [422, 'invalid'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [301, 'invalid'],
    [302, 'invalid'],
  ])('maps %i to %s, in our own words', async (status, fault) => {
    const failure = await failing(
      answered({ status, content: { message: 'said by the host' }, headers: { location: '/elsewhere' } }),
    );
    expect(failure).toMatchObject({ fault, retryAt: null });
    expect(failure.message).not.toContain('said by the host');
  });

  it('does not follow a redirect with the token', async () => {
    const other = await hosting({});
    await failing(answered({ status: 302, headers: { location: `${other.origin}/` } }));
    expect(other.calls).toEqual([]);
  });

  it.each([
    ['an HTML page', { text: '<html>Sign in</html>', headers: { 'content-type': 'text/html' } }],
    ['broken JSON', { text: '{"a":', headers: { 'content-type': 'application/json' } }],
    [
      'compressed data',
      { text: 'xx', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    ],
  ])('fails when the answer is %s', async (_name, answer) => {
    expect(await failing(answered(answer))).toMatchObject({ fault: 'unreachable' });
  });

  it('stops reading an endless answer', async () => {
    let gone = () => {};
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const failure = await failing(
      answered((_call, response) => {
        response.on('close', gone).writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      }),
    );
    expect(failure).toMatchObject({
      fault: 'unreachable',
      message: 'The answer of the repository host is too large',
    });
    await closed;
  });

  it('reads an answer just below the size limit', async () => {
    const text = JSON.stringify(Array.from({ length: 100 }, () => ({ body: 'x\\"'.repeat(20_000) })));
    expect(text.length).toBeGreaterThan(9 * 1024 * 1024);
    const content = await answered({ text, headers: { 'content-type': 'application/json' } });
    expect(content).toMatchObject({ status: 200 });
  });

  it.each([
    ['millions of small objects', `[${'{},'.repeat(3_000_000)}{}]`],
    ['nothing but brackets', '['.repeat(9_000_000)],
  ])('rejects an answer of %s without blocking the process', async (_name, text) => {
    const held = await longestHold(async () => {
      const failure = await failing(answered({ text, headers: { 'content-type': 'application/json' } }));
      expect(failure).toMatchObject({ message: 'The answer of the repository host is too large' });
    });
    expect(held).toBeLessThan(500);
  });

  it.each([
    ['never arrives', () => {}],
    [
      'trickles',
      (_call: unknown, response: { writeHead(status: number): { write(text: string): void } }) =>
        response.writeHead(200).write(' '),
    ],
  ])('times out when the answer %s', async (_name, answer) => {
    expect(await failing(answered(answer, { limitMs: 200 }))).toMatchObject({
      fault: 'unreachable',
      message: 'The host did not answer within 10 seconds',
    });
  });

  it('fails when the host switches protocols', async () => {
    const failure = await failing(
      answered((_call, response) => {
        response.socket!.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        );
      }),
    );
    expect(failure).toMatchObject({ fault: 'unreachable' });
  });

  it('fails when the headers are too large', async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await failing(calling().ask(`http://127.0.0.1:${port}/`))).toMatchObject({
      fault: 'unreachable',
      message: 'The host could not be reached',
    });
  });
});

describe('Rate limits of a host', () => {
  const date = NOW.toUTCString();
  const reset = Math.floor(NOW.getTime() / 1000) + 300;
  it.each([
    [429, {}, 60],
    [429, { 'retry-after': '7' }, 7],
    [429, { 'retry-after': new Date(NOW.getTime() + 90_000).toUTCString() }, 90],
    [429, { 'retry-after': '-5' }, 60],
    [429, { 'retry-after': '99999999999' }, 86_400],
    [429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '45' }, 45],
    [429, { 'ratelimit-reset': String(reset) }, 300],
    [429, { 'x-ratelimit-reset': 'soon' }, 60],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }, 300],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset - 900) }, 1],
    [403, { 'retry-after': '30' }, 30],
    [503, { 'retry-after': '30' }, 30],
  ])('%i with %j: retryAt is in %i s', async (status, headers, seconds) => {
    const host = await hosting({ 'GET /': { status, headers: { date, ...headers }, content: {} } });
    expect(await failing(calling().ask(`${host.origin}/`))).toMatchObject({
      fault: 'limited',
      retryAt: new Date(NOW.getTime() + seconds * 1000),
    });
  });

  it.each([
    [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }, 300],
    [404, { 'ratelimit-remaining': '0', 'ratelimit-reset': '45' }, 45],
    [200, { 'x-ratelimit-remaining': '0' }, 60],
  ])(
    '%i with %j: does not call the host again with that token for %i s',
    async (status, headers, seconds) => {
      let now = NOW;
      const host = await hosting({ 'GET /': { status, headers: { date, ...headers }, content: {} } });
      const caller = createForgeCaller({ networks: LOOPBACK, clock: { now: () => now }, version: '1' });
      closing.push(() => caller.close());
      const ask = (token: string) =>
        caller.ask({ method: 'GET', url: `${host.origin}/`, headers: { authorization: token } });
      const first = await ask(TOKEN).catch((error: ForgeFailed) => error);
      expect(first instanceof Error).toBe(status !== 200);
      const retryAt = new Date(NOW.getTime() + seconds * 1000);
      for (const _ of [1, 2]) expect(await failing(ask(TOKEN))).toMatchObject({ fault: 'limited', retryAt });
      expect(host.calls).toHaveLength(1);
      await ask('Bearer another').catch(() => {});
      expect(host.calls).toHaveLength(2);
      now = retryAt;
      await ask(TOKEN).catch(() => {});
      expect(host.calls).toHaveLength(3);
    },
  );

  it("uses the host's clock, which may differ from ours", async () => {
    const theirs = NOW.getTime() + 3_600_000;
    const headers = {
      date: new Date(theirs).toUTCString(),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(theirs / 1000 + 20),
    };
    const host = await hosting({ 'GET /': { status: 403, headers, content: {} } });
    const { retryAt } = await failing(calling().ask(`${host.origin}/`));
    expect(retryAt).toEqual(new Date(NOW.getTime() + 20_000));
  });

  it('treats a 403 with calls left as a rejected token', async () => {
    const headers = { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': String(reset) };
    const host = await hosting({ 'GET /': { status: 403, headers, content: {} } });
    expect(await failing(calling().ask(`${host.origin}/`))).toMatchObject({ fault: 'refused' });
  });
});

describe('Reading a log', () => {
  it('follows redirects without the token', async () => {
    const store = await hosting({ 'GET /file': { text: 'one\ntwo\nthree\nfour\n' } });
    const host = await hosting({
      'GET /log': { status: 302, headers: { location: `${store.origin}/file?signed=yes` } },
      'GET /again': { status: 302, headers: { location: '/log' } },
    });
    expect(await calling().readTail(`${host.origin}/again`)).toBe('two\nthree\nfour');
    expect(host.calls.map(({ headers }) => headers.authorization)).toEqual([TOKEN, undefined]);
    expect(store.calls).toMatchObject([{ path: '/file?signed=yes' }]);
    expect(store.calls[0]!.headers.authorization).toBeUndefined();
  });

  it.each([
    'http://169.254.169.254/latest',
    'https://10.0.0.1/',
    'file:///etc/passwd',
    'http://git.acme.test/',
  ])('does not follow a redirect to %s', async (location) => {
    const host = await hosting({ 'GET /log': { status: 302, headers: { location } } });
    expect(await failing(calling().readTail(`${host.origin}/log`))).toMatchObject({ fault: 'unreachable' });
  });

  it('stops following a redirect loop after three redirects', async () => {
    const host = await hosting({ 'GET /log': { status: 302, headers: { location: '/log' } } });
    expect(await failing(calling().readTail(`${host.origin}/log`))).toMatchObject({ fault: 'unreachable' });
    expect(host.calls).toHaveLength(4);
  });

  it('keeps the end of a log with many chunks and endless lines', async () => {
    const host = await hosting({
      'GET /log': (_call, response) => {
        for (let n = 0; n < 100; n += 1) response.write('ü'.repeat(50_000));
        response.end('\r\n\u001b[31mred\u001b[0m\u0000\nlast');
      },
    });
    expect(await calling().readTail(`${host.origin}/log`, 2)).toBe('red\nlast');
    expect((await calling().readTail(`${host.origin}/log`, 3)).length).toBeLessThan(256 * 1024);
  });

  it('fails for a log above the size limit', async () => {
    const host = await hosting({
      'GET /log': (_call, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(1024 * 1024)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    });
    expect(await failing(calling().readTail(`${host.origin}/log`))).toMatchObject({ fault: 'unreachable' });
  });
});

describe('Retries of a call', () => {
  it.each<[string, StubAnswer]>([
    ['with a 500', { status: 500 }],
    ['without an answer', (_call, response) => response.socket!.destroy()],
  ])('repeats a GET once when the host fails %s', async (_, stumbling) => {
    let stumbles = 1;
    const host = await hosting({
      'GET /': (call, response) => {
        if (stumbles-- <= 0) response.setHeader('content-type', 'application/json').end('1');
        else if (typeof stumbling === 'function') stumbling(call, response);
        else response.writeHead(stumbling.status!).end();
      },
    });
    const { ask } = calling();
    expect((await ask(`${host.origin}/`)).content).toBe(1);
    stumbles = 3;
    host.calls.length = 0;
    expect(await failing(ask(`${host.origin}/`))).toMatchObject({ fault: 'unreachable' });
    expect(host.calls.length).toBeLessThanOrEqual(3);
  });

  it('does not repeat a call that changes something', async () => {
    const host = await hosting({ 'POST /': { status: 500 } });
    expect(await failing(calling().ask(`${host.origin}/`, 'POST', {}))).toMatchObject({
      fault: 'unreachable',
    });
    expect(host.calls).toHaveLength(1);
  });

  it('does not repeat a call before the time in Retry-After', async () => {
    const host = await hosting({ 'GET /': { status: 503, headers: { 'retry-after': '30' } } });
    expect(await failing(calling().ask(`${host.origin}/`))).toMatchObject({ fault: 'limited' });
    expect(host.calls).toHaveLength(1);
  });
});

describe('Forge connection', () => {
  it('is reused for the next call, and a closed one is replaced without an error', async () => {
    const sockets = new Set<unknown>();
    let dropped = false;
    const host = await hosting({
      'GET /': (_call, response) => {
        sockets.add(response.socket);
        if (sockets.size === 1 && host.calls.length === 3 && !dropped) {
          dropped = true;
          response.socket!.destroy();
        } else response.setHeader('content-type', 'application/json').end('1');
      },
    });
    const { ask } = calling();
    for (let n = 0; n < 3; n += 1) expect((await ask(`${host.origin}/`)).content).toBe(1);
    expect([sockets.size, host.calls.length]).toEqual([2, 4]);
  });

  it('fails when it closes during a change, since the host may have applied it', async () => {
    const host = await hosting({
      'GET /': { content: 1 },
      'POST /': (_call, response) => response.socket!.destroy(),
    });
    const { ask } = calling();
    await ask(`${host.origin}/`);
    expect(await failing(ask(`${host.origin}/`, 'POST', {}))).toMatchObject({ fault: 'unreachable' });
    expect(host.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('to a host that hangs does not block other hosts', async () => {
    const hanging = await hosting({ 'GET /': () => {} });
    const other = await hosting({ 'GET /': { content: 1 } });
    const { ask } = calling({ limitMs: 3000 });
    const held = Array.from({ length: 50 }, () => failing(ask(`${hanging.origin}/`)));
    expect((await ask(`${other.origin}/`)).content).toBe(1);
    expect(hanging.calls.length).toBeLessThanOrEqual(16);
    for (const failure of await Promise.all(held)) expect(failure).toMatchObject({ fault: 'unreachable' });
  });
});

it('reports a token that no header can contain in our own words', async () => {
  const caller = createForgeCaller({ networks: LOOPBACK, clock: { now: () => NOW }, version: '1' });
  closing.push(() => caller.close());
  const headers = { authorization: 'Bearer secretOfTheTest\r\nx: y' };
  const failure = await failing(caller.ask({ method: 'GET', url: 'http://127.0.0.1:1/', headers }));
  expect(failure.message).toBe('The token contains invalid characters');
});
