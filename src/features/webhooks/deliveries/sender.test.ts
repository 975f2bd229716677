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

describe('Receiver address check at connection time', () => {
  it('rejects a name that now resolves to a private address (DNS rebinding)', async () => {
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

  it('connects only to the allowed addresses of a name', async () => {
    const receiver = await receiving();
    const rules = receiverRules(LOOPBACK, async () => ['10.255.255.1', '127.0.0.1', '169.254.169.254']);
    expect(await post(sending(rules), `http://hooks.example:${receiver.port}/`)).toMatchObject({
      status: 204,
    });
    expect(receiver.received[0]!.headers.host).toBe(`hooks.example:${receiver.port}`);
  });

  it.each(['https://127.0.0.1', 'https://2130706433', 'https://[::ffff:7f00:1]', 'https://[::1]'])(
    'rejects the literal %s without a lookup',
    async (origin) => {
      const receiver = await receiving();
      const rules = receiverRules([], async () => expect.fail('nobody is asked'));
      expect(await post(sending(rules), `${origin}:${receiver.port}/`)).toMatchObject({
        error: 'The address may not be dialled',
      });
    },
  );

  it('rejects http after WEBHOOK_NETWORKS was unset', async () => {
    expect(await post(sending(receiverRules([])), 'http://93.184.216.34/')).toMatchObject({
      error: 'The address is not encrypted',
    });
  });

  it('reports a name without an address', async () => {
    const rules = receiverRules(LOOPBACK, async () => []);
    expect(await post(sending(rules), 'http://nowhere.example/')).toMatchObject({
      status: null,
      error: 'The host has no address',
    });
  });

  it('reports a receiver without TLS in our own words', async () => {
    const receiver = await receiving();
    const outcome = await post(sending(receiverRules(LOOPBACK)), `https://127.0.0.1:${receiver.port}/`);
    expect(outcome!.error).toMatch(/^(A secure connection could not be made|The connection failed)/);
  });
});

describe('Receiver response', () => {
  it('is a failure when it does not arrive in time', async () => {
    const receiver = await receiving(() => {});
    expect(await post(sending(receiverRules(LOOPBACK), 50), receiver.url)).toMatchObject({
      status: null,
      error: 'There was no answer within 10 seconds',
    });
  });

  it('counts by its status, and an endless body is not read', async () => {
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

  it('is cut off at the time limit when its body trickles', async () => {
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

  it('is a failure when it switches protocols, without waiting for more', async () => {
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

  it('has no outcome when the program stops before it arrives', async () => {
    const receiver = await receiving(() => {});
    const stopping = new AbortController();
    const outcome = post(sending(receiverRules(LOOPBACK)), receiver.url, stopping.signal);
    await receiver.arrived(1);
    stopping.abort();
    expect(await outcome).toBeUndefined();
  });
});

describe('Receiver connection', () => {
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

  it('is reused for the next message', async () => {
    const { sockets, url } = await counting(() => true);
    const sender = sending(receiverRules(LOOPBACK));
    for (let n = 0; n < 3; n += 1) expect(await post(sender, url)).toMatchObject({ status: 200 });
    expect(sockets.size).toBe(1);
  });

  it('is opened again without a failure when the receiver closed it in between', async () => {
    const { sockets, url } = await counting((count, socket) => {
      if (count === 2) socket.destroy();
      return count !== 2;
    });
    const sender = sending(receiverRules(LOOPBACK));
    await post(sender, url);
    expect(await post(sender, url)).toMatchObject({ status: 200, error: null });
    expect(sockets.size).toBe(2);
  });

  it('is a failure when it breaks off while new', async () => {
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

describe('Sending a message', () => {
  it('sends the exact bytes with their headers', async () => {
    const receiver = await receiving(answering(200));
    await post(sending(receiverRules(LOOPBACK)), `${receiver.url}?a=b`);
    expect(receiver.received[0]).toMatchObject({
      path: '/hook?a=b',
      body: '{"a":"ü"}',
      headers: { 'x-test': 'yes', 'content-length': '10' },
    });
  });
});
