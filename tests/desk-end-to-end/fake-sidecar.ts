import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
export const proofOf = (pat: string, message: string) =>
  createHmac('sha256', sha256(pat)).update(message).digest('hex');

/** A sidecar whose answers the test controls, and which follows only the protocol. */
export async function startFakeSidecar(desk: { workstation_id: string; pat: string }) {
  const health: Record<string, unknown> = {
    env_id: desk.workstation_id,
    installation_id: `machine-${desk.workstation_id}`,
    version: '0.2.11',
    code_digest: 'a'.repeat(64),
    building: false,
    credentials: [],
    pending_sync_count: 0,
  };
  const fake = {
    health,
    pat: desk.pat,
    url: '',
    /** Replaces the entire answer to a health check. */
    answer: undefined as ((request: IncomingMessage, response: ServerResponse) => void) | undefined,
    reply(request: IncomingMessage, response: ServerResponse) {
      response.writeHead(200, {
        'content-type': 'application/json',
        'x-guildhall-proof': proofOf(fake.pat, String(request.headers['x-guildhall-nonce'])),
      });
      response.end(JSON.stringify(fake.health));
    },
    updateStatus: 202,
    requests: [] as { method: string; url: string; headers: IncomingMessage['headers']; body: string }[],
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    listen: (port = 0) =>
      new Promise<void>((resolve) => {
        server.listen(port, '127.0.0.1', () => {
          fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
          resolve();
        });
      }),
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    fake.requests.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body,
    });
    if (request.url === '/update') {
      response.writeHead(fake.updateStatus).end('{}');
    } else if (fake.answer) {
      fake.answer(request, response);
    } else {
      fake.reply(request, response);
    }
  });
  await fake.listen();
  return fake;
}

export type FakeSidecar = Awaited<ReturnType<typeof startFakeSidecar>>;
