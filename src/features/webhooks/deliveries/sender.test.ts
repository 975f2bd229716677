import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { answering, type Receiver, startReceiver } from '../../../../tests/support/webhooks.js';
import { receiverRules, requireReceiver } from '../subscriptions/subscriptions.service.js';
import { createSender, type Sender } from './sender.js';

const LOOPBACK = ['127.0.0.0/8'];
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function sending(...settings: Parameters<typeof createSender>): Sender {
  const sender = createSender(...settings);
  closing.push(() => sender.close());
  return sender;
}

async function receiving(...settings: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...settings);
  closing.push(() => receiver.close());
  return receiver;
}

const post = (sender: Sender, url: string, signal = new AbortController().signal) =>
  sender.post({ url, headers: { 'x-test': 'yes' }, body: '{"a":"ü"}', signal });

describe('an address is judged where it is dialled', () => {
  it('a name that has come to mean something else is refused: DNS rebinding', async () => {
    const receiver = await receiving();
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    const rules = { ...receiverRules([], async () => answers.shift()!), allowsHttp: true };
    const url = `http://hooks.example:${receiver.port}/`;
    await requireReceiver(rules, url);
    expect(await post(sending(rules), url)).toMatchObject({
      status: null,
      error: 'The address may not be dialled',
    });
    expect(receiver.received).toEqual([]);
  });

  it('only those addresses of a name are dialled that may be', async () => {
    const receiver = await receiving();
    const rules = receiverRules(LOOPBACK, async () => ['10.255.255.1', '127.0.0.1', '169.254.169.254']);
    expect(await post(sending(rules), `http://hooks.example:${receiver.port}/`)).toMatchObject({
      status: 204,
    });
    expect(receiver.received[0]!.headers.host).toBe(`hooks.example:${receiver.port}`);
  });

  it.each(['https://127.0.0.1', 'https://2130706433', 'https://[::ffff:7f00:1]', 'https://[::1]'])(
    'a literal is refused without any lookup: %s',
    async (origin) => {
      const receiver = await receiving();
      const rules = receiverRules([], async () => expect.fail('nobody is asked'));
      expect(await post(sending(rules), `${origin}:${receiver.port}/`)).toMatchObject({
        error: 'The address may not be dialled',
      });
    },
  );

  it('http is refused once WEBHOOK_NETWORKS is no longer set', async () => {
    expect(await post(sending(receiverRules([])), 'http://93.184.216.34/')).toMatchObject({
      error: 'The address is not encrypted',
    });
  });

  it('a name without an address says so', async () => {
    const rules = receiverRules(LOOPBACK, async () => []);
    expect(await post(sending(rules), 'http://nowhere.example/')).toMatchObject({
      status: null,
      error: 'The host has no address',
    });
  });

  it('a receiver that speaks no TLS is a failure in our words', async () => {
    const receiver = await receiving();
    const outcome = await post(sending(receiverRules(LOOPBACK)), `https://127.0.0.1:${receiver.port}/`);
    expect(outcome!.error).toMatch(/^(A secure connection could not be made|The connection failed)/);
  });
});

describe('an answer', () => {
  it('that does not come in time is a failure', async () => {
    const receiver = await receiving(() => {});
    expect(await post(sending(receiverRules(LOOPBACK), 50), receiver.url)).toMatchObject({
      status: null,
      error: 'There was no answer within 10 seconds',
    });
  });

  it('counts by its status, and a body without end is not read', async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const receiver = await receiving((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(8192)), 1);
      response.on('close', () => {
        clearInterval(timer);
        closed();
      });
    });
    expect(await post(sending(receiverRules(LOOPBACK)), receiver.url)).toMatchObject({
      status: 200,
      error: null,
    });
    await gone;
  });

  it('that trickles is cut off when the time is over', async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const receiver = await receiving((response) => {
      response.writeHead(202).write('x');
      response.on('close', closed);
    });
    expect(await post(sending(receiverRules(LOOPBACK), 200), receiver.url)).toMatchObject({ status: 202 });
    await gone;
  });

  it('that would rather speak another protocol is a failure, and not waited for', async () => {
    const receiver = await receiving((response) => {
      response.socket!.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
    });
    expect(await post(sending(receiverRules(LOOPBACK)), receiver.url)).toMatchObject({
      status: 101,
      error: 'The receiver answered 101',
    });
  });

  it('that never comes because the program stops says nothing', async () => {
    const receiver = await receiving(() => {});
    const stopping = new AbortController();
    const outcome = post(sending(receiverRules(LOOPBACK)), receiver.url, stopping.signal);
    await receiver.arrived(1);
    stopping.abort();
    expect(await outcome).toBeUndefined();
  });
});

describe('a connection', () => {
  async function counting(onRequest: (count: number, socket: Socket) => boolean) {
    const sockets = new Set<Socket>();
    let requests = 0;
    const server = http.createServer((request, response) => {
      sockets.add(request.socket);
      requests += 1;
      request.resume();
      if (onRequest(requests, request.socket)) response.writeHead(200).end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { sockets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  it('is kept for the next message', async () => {
    const { sockets, url } = await counting(() => true);
    const sender = sending(receiverRules(LOOPBACK));
    for (let n = 0; n < 3; n += 1) expect(await post(sender, url)).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(1);
  });

  it('that the receiver had closed in between is no failure of the receiver', async () => {
    const { sockets, url } = await counting((count, socket) => {
      if (count === 2) socket.destroy();
      return count !== 2;
    });
    const sender = sending(receiverRules(LOOPBACK));
    await post(sender, url);
    expect(await post(sender, url)).toMatchObject({ status: 200, error: null });
    expect(sockets.size).toBe(2);
  });

  it('that breaks off when it is new is a failure', async () => {
    const { url } = await counting((_count, socket) => {
      socket.destroy();
      return false;
    });
    expect(await post(sending(receiverRules(LOOPBACK)), url)).toMatchObject({
      status: null,
      error: 'The connection failed',
    });
  });
});

describe('a message', () => {
  it('arrives byte by byte, with its headers', async () => {
    const receiver = await receiving(answering(200));
    await post(sending(receiverRules(LOOPBACK)), `${receiver.url}?a=b`);
    expect(receiver.received[0]).toMatchObject({
      path: '/hook?a=b',
      body: '{"a":"ü"}',
      headers: { 'x-test': 'yes', 'content-length': '10' },
    });
  });
});
