import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRefusedConnections, type RefusedConnections } from './refused-connections.js';

let time: number;
let byProxy: boolean;
let connections: RefusedConnections;
let server: Server;
let asked: string[];
let waited: number[];
let line: Socket;
let heard: string;

beforeEach(async () => {
  [time, byProxy, asked, waited, heard] = [0, false, [], [], ''];
  connections = createRefusedConnections(
    () => byProxy,
    () => time,
  );
  server = createServer((request: IncomingMessage, response) => {
    asked.push(request.url!);
    waited.push(connections.waitedMs(request));
    connections.pause(request, response);
    response.writeHead(503).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  line = connect((server.address() as AddressInfo).port, '127.0.0.1');
  line.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
  });
});
afterEach(() => {
  line.destroy();
  server.closeAllConnections();
  server.close();
});

const ask = (path: string) => line.write(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`);
const answers = () => heard.split('HTTP/1.1 503').length - 1;
/** What is on its way would have come by then: another connection has been answered meanwhile. */
const meanwhile = async () => {
  for (let n = 0; n < 5; n += 1)
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/else`, {
      headers: { connection: 'close' },
    });
};

describe('a connection whose request was refused', () => {
  it('is read on at once while the loop is on time', async () => {
    ask('/1');
    await expect.poll(answers).toBe(1);
    ask('/2');
    await expect.poll(answers).toBe(2);
    expect(waited).toEqual([0, 0]);
  });

  it('is not read for a while when the loop is late, and what came meanwhile is told to have waited', async () => {
    connections.look(true);
    ask('/1');
    await expect.poll(answers).toBe(1);
    await meanwhile();
    ask('/2');
    await meanwhile();
    expect(asked).not.toContain('/2');
    time = 99;
    connections.look(true);
    await meanwhile();
    expect(asked).not.toContain('/2');
    time = 100;
    connections.look(true);
    await expect.poll(answers).toBe(2);
    expect(waited[asked.indexOf('/2')]).toBe(100);
  });

  it('has waited also when the turn that reads it on comes late', async () => {
    connections.look(true);
    ask('/1');
    await expect.poll(answers).toBe(1);
    await meanwhile();
    ask('/2');
    await meanwhile();
    time = 100;
    connections.look(true);
    time = 500;
    await expect.poll(answers).toBe(2);
    expect(waited[asked.indexOf('/2')]).toBe(100);
  });

  it('is not read on in the same turn once very many were refused, whatever the last look said', async () => {
    for (let n = 1; n <= 51; n += 1) {
      ask(`/${n}`);
      await expect.poll(answers).toBe(n);
    }
    ask('/next');
    await meanwhile();
    expect(asked).not.toContain('/next');
    time = 100;
    connections.look(false);
    await expect.poll(() => asked).toContain('/next');
  });

  it('has not waited when it asks after its pause', async () => {
    connections.look(true);
    ask('/1');
    await expect.poll(answers).toBe(1);
    await meanwhile();
    time = 200;
    connections.look(false);
    await meanwhile();
    time = 251;
    ask('/2');
    await expect.poll(answers).toBe(2);
    expect(waited[asked.indexOf('/2')]).toBe(0);
  });

  it('is read on when it is a proxy’s: the next request may be anybody’s', async () => {
    byProxy = true;
    connections.look(true);
    ask('/1');
    await expect.poll(answers).toBe(1);
    await meanwhile();
    ask('/2');
    await expect.poll(answers).toBe(2);
  });

  it('is read on when the server stops', async () => {
    connections.look(true);
    ask('/1');
    await expect.poll(answers).toBe(1);
    await meanwhile();
    ask('/2');
    connections.stop();
    await expect.poll(answers).toBe(2);
  });
});
