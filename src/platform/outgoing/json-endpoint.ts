import { traceCall } from '../../kernel/tracing.js';

interface JsonRequest {
  url: string;
  apiKey?: string;
  body: unknown;
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

/** Never contains the key, the URL or the request body. */
export class EndpointFailed extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'EndpointFailed';
  }
}

/**
 * Calls an OpenAI-compatible endpoint. Redirects are rejected, because the key is for the configured host
 * only.
 */
export async function postJson(request: JsonRequest): Promise<unknown> {
  const timeout = AbortSignal.timeout(Math.max(1, request.timeoutMs));
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  try {
    const response = await traceCall('POST', request.url, (traceHeaders) =>
      fetch(request.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...traceHeaders,
          ...(request.apiKey ? { authorization: `Bearer ${request.apiKey}` } : {}),
        },
        body: JSON.stringify(request.body),
        redirect: 'error',
        signal,
      }),
    );
    if (!response.ok) {
      await response.body?.cancel();
      throw new EndpointFailed(`status ${response.status}`);
    }
    return parseJson(await readCapped(response, request.maxBytes));
  } catch (error) {
    if (error instanceof EndpointFailed) throw error;
    if (timeout.aborted) throw new EndpointFailed('no answer in time');
    if (request.signal?.aborted) throw new EndpointFailed('the caller gave up');
    throw new EndpointFailed('connection failed', { cause: error });
  }
}

export const endpointPath = (base: string, path: string): string => `${base.replace(/\/+$/, '')}/${path}`;

async function readCapped(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new EndpointFailed('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EndpointFailed('the answer is no JSON');
  }
}
