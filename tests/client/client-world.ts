import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Guildhall, type GuildhallOptions } from '../../client/src/index.js';
import { startTestApp } from '../support/app.js';

/** Starts the service on a port, with a workspace and a client for it. */
export async function startClientWorld() {
  const world = await startTestApp();
  await world.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = world.server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const workspace = await world.workspace();
  const clientOf = (options: Partial<GuildhallOptions> = {}) =>
    new Guildhall({ url, token: workspace.token, ...options });
  return { world, url, port, workspace, client: clientOf(), clientOf, stop: () => world.stop() };
}

export type ClientWorld = Awaited<ReturnType<typeof startClientWorld>>;

export interface Script {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Starts a server that gives scripted answers, repeats the last one, and records its requests. */
export async function startScriptedServer(script: Script[], wantedPort = 0) {
  const seen: SeenRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const line = script[Math.min(seen.length, script.length - 1)]!;
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    response.writeHead(line.status, { 'content-type': 'application/json', ...line.headers });
    response.end(typeof line.body === 'string' ? line.body : JSON.stringify(line.body ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** Starts a proxy to the service whose connections can be cut. */
export async function startLine(port: number) {
  const sockets = new Set<Socket>();
  let open = true;
  let connections = 0;
  const server = createTcpServer((near) => {
    if (!open) return void near.destroy();
    connections += 1;
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    connections: () => connections,
    /** Cuts all connections and refuses new ones until `open` is called. */
    close: () => {
      open = false;
      cut();
    },
    reopen: () => {
      open = true;
    },
    stop: () => {
      cut();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
