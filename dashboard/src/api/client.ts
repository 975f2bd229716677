/** The one door to the service: same origin, session cookie, JSON, errors in the service's own words. */

export class ApiFault extends Error {
  constructor(
    readonly status: number,
    readonly detail: unknown,
  ) {
    super(sentenceOf(detail));
  }
}

interface CallOptions {
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
  file?: File;
  ifMatch?: string;
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Tagged<T> {
  data: T;
  etag: string | null;
}

const listeners = new Set<() => void>();

/** Told whenever the service no longer knows the session. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await callTagged<T>(method, path, options)).data;
}

export async function callTagged<T>(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<Tagged<T>> {
  const response = await send(method, path, options);
  const text = response.status === 204 ? '' : await response.text();
  const data = parse(text);
  if (response.ok) return { data: data as T, etag: response.headers.get('etag') };
  if (response.status === 401 && !path.startsWith('/api/v1/auth/')) for (const tell of listeners) tell();
  throw new ApiFault(response.status, detailOf(data) ?? `The service answered ${response.status}`);
}

async function send(method: Method, path: string, options: CallOptions): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  let body: BodyInit | undefined;
  if (options.file) {
    body = new FormData();
    body.append('file', options.file);
  } else if (options.body !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(options.body);
  }
  if (options.ifMatch) headers['if-match'] = options.ifMatch;
  try {
    return await fetch(withQuery(path, options.query), {
      method,
      headers,
      body,
      signal: options.signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiFault(0, 'The service cannot be reached. Check the connection and try again.');
  }
}

export function withQuery(path: string, query: CallOptions['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

function parse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const detailOf = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'detail' in data ? data.detail : undefined;

/** A structured refusal carries its sentence as `message`. */
function sentenceOf(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  if (typeof detail === 'object' && detail !== null && 'message' in detail) return String(detail.message);
  return JSON.stringify(detail);
}

export const segment = encodeURIComponent;
