import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Log, silentLog } from '../../kernel/log.js';
import { createDoors, type Doors } from './doors.js';

const BACKLOG = 64;
let listener: Server;
let doors: Doors;

beforeEach(async () => {
  listener = createServer((_, response) => response.end('here'));
  doors = createDoors(listener, silentLog);
  await once(listener.listen(0, '127.0.0.1', BACKLOG), 'listening');
});
afterEach(async () => {
  listener.closeAllConnections();
  if (listener.listening) await new Promise((resolve) => listener.close(resolve));
});

const port = () => (listener.address() as AddressInfo).port;

describe('doors of a server', () => {
  it('let connections in that the server itself answers', async () => {
    await doors.open(BACKLOG);
    const texts = await Promise.all(
      Array.from({ length: 40 }, async () => (await fetch(`http://127.0.0.1:${port()}/`)).text()),
    );
    expect(new Set(texts)).toEqual(new Set(['here']));
    listener.closeAllConnections();
    await doors.close();
  });

  it('let more than one in at a time', async () => {
    await doors.open(BACKLOG);
    const lines = Array.from({ length: 12 }, () => connect(port(), '127.0.0.1'));
    // All of them wait to be taken, because the loop has been busy since.
    let inOneTurn = 0;
    let most = 0;
    listener.on('connection', () => {
      inOneTurn += 1;
      most = Math.max(most, inOneTurn);
      setImmediate(() => {
        inOneTurn = 0;
      });
    });
    await expect.poll(() => most).toBeGreaterThan(1);
    for (const line of lines) line.destroy();
    listener.closeAllConnections();
    await doors.close();
  });

  it('let nobody in whose answers would wait for the receipt of what was sent before', async () => {
    const prompt = vi.spyOn(Socket.prototype, 'setNoDelay');
    await doors.open(BACKLOG);
    const byDoors: Socket[] = [];
    listener.prependListener('connection', (socket: Socket & { server?: unknown }) => {
      if (socket.server !== listener) byDoors.push(socket);
    });
    const lines = Array.from({ length: 40 }, () => connect(port(), '127.0.0.1').on('error', () => {}));
    await expect.poll(() => byDoors.length).toBeGreaterThan(5);
    for (const socket of byDoors) expect(prompt.mock.contexts).toContain(socket);
    prompt.mockRestore();
    for (const line of lines) line.destroy();
    listener.closeAllConnections();
    await doors.close();
  });

  it('let no more in than the server may have', async () => {
    await doors.open(BACKLOG);
    listener.maxConnections = 3;
    const lines = Array.from({ length: 30 }, () => connect(port(), '127.0.0.1').on('error', () => {}));
    let ended = 0;
    for (const line of lines) line.on('close', () => (ended += 1));
    // Its own handle has a count of its own, and lets as many in.
    await expect.poll(() => ended).toBeGreaterThanOrEqual(30 - 2 * 3);
    for (const line of lines) line.destroy();
    listener.closeAllConnections();
    await doors.close();
  });

  it('are closed when the last request that came by them is answered', async () => {
    await doors.open(BACKLOG);
    let answer = () => {};
    listener.removeAllListeners('request').on('request', (_, response) => {
      answer = () => response.end('at last');
    });
    const agent = new Agent();
    const answered = new Promise<number>((resolve) => {
      get({ port: port(), host: '127.0.0.1', agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode!));
      });
    });
    await once(listener, 'request');
    let isClosed = false;
    const closed = doors.close().then(() => {
      isClosed = true;
    });
    const ended = new Promise((resolve) => listener.close(resolve));
    answer();
    expect(await answered).toBe(200);
    listener.closeIdleConnections();
    await Promise.all([closed, ended]);
    expect(isClosed).toBe(true);
  });

  it('are missed by nobody when they cannot be made', async () => {
    const said: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => said.push(text) } as unknown as Log;
    const deaf = createServer();
    await createDoors(deaf, log).open(BACKLOG);
    expect(said).toEqual(['Connections are taken one at a time: no second handle could be made']);
  });
});
