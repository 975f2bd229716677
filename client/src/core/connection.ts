import { GuildhallError, readError, strangeAnswer, unreachable } from './errors.js';
import type { Fields, Operation } from './operation.js';
import type { CallOptions, GuildhallOptions } from './options.js';
import { planRequest } from './request.js';
import { sendPatiently } from './retry.js';

/** Calls operations of one service with one set of credentials. */
export function createConnection(settings: GuildhallOptions) {
  const fetchIt = settings.fetch ?? ((...args: Parameters<typeof fetch>) => globalThis.fetch(...args));

  /** Returns the unread response of a successful call. */
  async function open(
    name: string,
    operation: Operation,
    fields: Fields,
    options: CallOptions,
  ): Promise<Response> {
    const { url, init, repeatable } = planRequest(settings, name, operation, fields, options);
    const send = () => fetchIt(url, init).catch((error) => Promise.reject(failure(name, options, error)));
    options.signal?.throwIfAborted();
    // A broken stream is resumed by followEvents, which knows the last event, so it is not retried here.
    const manner = { repeatable, outlastsOutages: operation.answer !== 'events' };
    const response = await sendPatiently(send, manner, settings.retry ?? {}, options.signal);
    options.onResponse?.(response);
    if (!response.ok && !(operation.answer === 'nothing' && isRedirect(response))) {
      const refusal = await readError(response, name);
      options.signal?.throwIfAborted();
      throw refusal;
    }
    return response;
  }

  return {
    open,

    async call(name: string, operation: Operation, fields: Fields, options: CallOptions): Promise<unknown> {
      const response = await open(name, operation, fields, options);
      const form = operation.forms ? fields['format'] : undefined;
      try {
        return await readAnswer(name, response, form && form !== 'json' ? 'text' : operation.answer);
      } catch (error) {
        throw error instanceof GuildhallError ? error : failure(name, options, error);
      }
    },
  };
}

export type Connection = ReturnType<typeof createConnection>;

const isRedirect = (response: Response) => response.type === 'opaqueredirect' || response.status === 302;

/** An aborted call rejects with the caller's own reason. */
const failure = (name: string, { signal }: CallOptions, error: unknown): unknown =>
  signal?.aborted ? signal.reason : unreachable(name, error);

async function readAnswer(name: string, response: Response, kind: Operation['answer']): Promise<unknown> {
  if (kind === 'nothing' || response.status === 204) {
    await response.body?.cancel();
    return undefined;
  }
  if (kind === 'bytes') return response.blob();
  const text = await response.text();
  if (kind === 'text') return text;
  // A 202 may have no body. Any other empty answer is incomplete.
  if (text === '' && response.status === 202) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw strangeAnswer(response, name, 'The answer is not JSON', cause);
  }
}
