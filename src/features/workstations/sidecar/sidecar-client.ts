import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { traceCall } from '../../../kernel/tracing.js';
import { type DeskNetworkRule, type DeskTarget, judgeDeskUrl } from './desk-address.js';
import {
  CHECK_TIMEOUT_MS,
  type HealthReport,
  isProof,
  MESSAGE_LIMIT_BYTES,
  NONCE_HEADER,
  PROOF_HEADER,
  parseHealth,
  prove,
  type UpdateOrder,
} from './sidecar-protocol.js';

export type HealthAnswer = { health: HealthReport; proved: boolean } | { fault: string };

export type SidecarClient = ReturnType<typeof sidecarClient>;

/** Calls sidecars. Checks the address on every call, follows no redirect and never sends the token. */
export function sidecarClient() {
  return {
    async readHealth(url: string, rule: DeskNetworkRule, tokenHash: string): Promise<HealthAnswer> {
      const judgement = judgeDeskUrl(url, rule);
      if ('fault' in judgement) return { fault: `The sidecar's address ${judgement.fault}` };
      const nonce = randomBytes(16).toString('hex');
      const answer = await exchange(judgement.target, 'GET', '/health', { [NONCE_HEADER]: nonce });
      if ('fault' in answer) return answer;
      if (answer.status !== 200) return { fault: `The sidecar answered with status ${answer.status}` };
      const health = parseHealth(answer.body);
      if (!health) return { fault: 'The answer does not come from a sidecar' };
      return { health, proved: isProof(answer.headers[PROOF_HEADER], tokenHash, nonce) };
    },

    async orderUpdate(
      url: string,
      rule: DeskNetworkRule,
      tokenHash: string,
      order: UpdateOrder,
    ): Promise<{ status: number } | { fault: string }> {
      const judgement = judgeDeskUrl(url, rule);
      if ('fault' in judgement) return { fault: `The sidecar's address ${judgement.fault}` };
      const body = JSON.stringify(order);
      const headers = { 'content-type': 'application/json', [PROOF_HEADER]: prove(tokenHash, body) };
      const answer = await exchange(judgement.target, 'POST', '/update', headers, body);
      return 'fault' in answer ? answer : { status: answer.status };
    },
  };
}

type Exchange = { status: number; headers: IncomingHttpHeaders; body: string } | { fault: string };

/** One request on its own connection. The deadline covers the connection and the full response. */
function exchange(
  target: DeskTarget,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Exchange> {
  const { protocol, address, port } = target;
  const host = address.includes(':') ? `[${address}]` : address;
  return traceCall(method, `${protocol}//${host}:${port}`, (traceHeaders) =>
    send(target, path, { method, headers: { ...headers, ...traceHeaders } }, body),
  );
}

function send(
  target: DeskTarget,
  path: string,
  { method, headers }: { method: string; headers: Record<string, string> },
  body?: string,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const dial = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = dial({
      host: target.address,
      port: target.port,
      path: target.path + path,
      method,
      headers: {
        ...headers,
        connection: 'close',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      agent: false,
    });
    const finish = (result: Exchange) => {
      clearTimeout(deadline);
      resolve(result);
      request.destroy();
    };
    const deadline = setTimeout(() => finish({ fault: 'No answer within 5 seconds' }), CHECK_TIMEOUT_MS);
    request.on('error', (error: NodeJS.ErrnoException) => finish({ fault: describeFault(error) }));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MESSAGE_LIMIT_BYTES) finish({ fault: 'The answer is larger than 64 KiB' });
        else chunks.push(chunk);
      });
      response.on('error', () => finish({ fault: 'The connection was closed early' }));
      response.on('close', () => finish({ fault: 'The connection was closed early' }));
      response.on('end', () =>
        finish({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

const FAULTS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EHOSTUNREACH: 'There is no route to the desk',
  ENETUNREACH: 'There is no route to the desk',
  ETIMEDOUT: 'The desk did not take the connection',
};

const describeFault = (error: NodeJS.ErrnoException): string =>
  FAULTS[error.code ?? ''] ?? 'The desk is not reachable';
