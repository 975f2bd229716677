import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubCall {
  method: string;
  /** With the query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  body: unknown;
}

export type StubAnswer =
  | { status?: number; headers?: http.OutgoingHttpHeaders; content?: unknown; text?: string }
  | ((call: StubCall, response: http.ServerResponse) => void);

/** A server with fixed answers by method and path without the query, such as `GET /projects/1`. */
export async function startHostStub(answers: Record<string, StubAnswer>) {
  const calls: StubCall[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { method = '', url = '', headers } = request;
      const call = { method, path: url, headers, body: text === '' ? undefined : JSON.parse(text) };
      calls.push(call);
      const answer = answers[`${method} ${url.split('?')[0]}`] ?? { status: 404, content: { message: 'No' } };
      if (typeof answer === 'function') answer(call, response);
      else {
        const { status = 200, headers: told = {}, content, text: plain } = answer;
        const type = plain === undefined ? 'application/json; charset=utf-8' : 'text/plain';
        response.writeHead(status, { 'content-type': type, ...told });
        response.end(plain ?? (content === undefined ? '' : JSON.stringify(content)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    calls,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type HostStub = Awaited<ReturnType<typeof startHostStub>>;
