import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import type { World } from './app.js';
import type { PlainAnswer } from './world-calls.js';

export interface Received {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  message: { type: string; timestamp: string; data: Record<string, unknown> };
}

type Answer = (response: http.ServerResponse, request: Received) => void;

export const answering =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end();

export async function startReceiver(answer: Answer = answering(204)) {
  const received: Received[] = [];
  const receiver = { answer };
  let noticed = () => {};
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const arrived = { path: request.url!, headers: request.headers, body, message: JSON.parse(body) };
    received.push(arrived);
    noticed();
    receiver.answer(response, arrived);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    answerWith: (next: Answer) => {
      receiver.answer = next;
    },
    /** Resolves when this many messages have arrived in total. */
    async arrived(count: number): Promise<Received[]> {
      while (received.length < count)
        await new Promise<void>((resolve) => {
          noticed = resolve;
        });
      return received;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Whether a receiver with this secret accepts the message, by the rules of Standard Webhooks. */
export function verifies(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

export type Workspace = Awaited<ReturnType<World['workspace']>>;

export function webhookCaller(
  world: { inject(request: InjectOptions): Promise<PlainAnswer> },
  { brand, bearer }: Pick<Workspace, 'brand' | 'bearer'>,
) {
  const base = `/api/v1/brands/${brand.brand_id}/webhooks`;
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object) =>
    world.inject({ method, url: `${base}${path}`, headers: bearer, payload });
  return {
    base,
    send,
    async create(url: string, events: string[] = ['*'], fields: object = {}) {
      const response = await send('POST', '', { url, events, ...fields });
      if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`);
      return response.json() as { webhook_id: string; secret: string; url: string; enabled: boolean };
    },
    read: async (id: string) => (await send('GET', `/${id}`)).json(),
    deliveries: async (id: string, query = '') =>
      (await send('GET', `/${id}/deliveries${query}`)).json() as {
        deliveries: {
          delivery_id: string;
          event_id: string;
          event: string;
          status: string;
          attempts: { at: string; status: number | null; milliseconds: number; error: string | null }[];
          next_attempt_at: string | null;
        }[];
        next_cursor: string | null;
      },
    test: async (id: string) => {
      const response = await send('POST', `/${id}/test`);
      if (response.statusCode !== 202) throw new Error(`${response.statusCode} ${response.body}`);
      return response.json() as { delivery_id: string; event_id: string };
    },
  };
}
