import type { Fields, Operation } from './operation.js';
import type { CallOptions, GuildhallOptions } from './options.js';

export interface PlannedRequest {
  url: string;
  init: RequestInit;
  /** Sending the request twice has no more effect than sending it once. */
  repeatable: boolean;
}

/** Puts each field of the arguments object into the path, query or body. */
export function planRequest(
  settings: GuildhallOptions,
  name: string,
  operation: Operation,
  given: Fields,
  options: CallOptions,
): PlannedRequest {
  const fields = withForm(operation, given);
  refuseStrangers(name, operation, fields);
  const headers = new Headers(options.headers);
  headers.set('accept', operation.answer === 'events' ? 'text/event-stream' : 'application/json, */*;q=0.5');
  const sendsAdminKey = operation.operator === true && settings.adminKey !== undefined;
  if (sendsAdminKey) headers.set('x-admin-key', settings.adminKey!);
  else if (settings.token !== undefined) headers.set('authorization', `Bearer ${settings.token}`);
  const body = bodyOf(operation, fields);
  const type = operation.raw ?? (typeof body === 'string' ? 'application/json' : undefined);
  if (type !== undefined) headers.set('content-type', type);
  const key = operation.creates && options.idempotencyKey === undefined ? makeKey() : options.idempotencyKey;
  if (key !== undefined) headers.set('idempotency-key', key);

  return {
    url: settings.url.replace(/\/+$/, '') + pathOf(name, operation, fields) + queryOf(operation, fields),
    init: {
      method: operation.method,
      headers,
      ...(body !== undefined && { body }),
      // With a token, the browser's session must not be sent too.
      credentials: headers.has('authorization') ? 'omit' : 'same-origin',
      // Redirects are not followed, because the credential is meant for this address only.
      redirect: 'manual',
      ...(options.signal && { signal: options.signal }),
    },
    repeatable: operation.method === 'GET' || operation.reads === true || isKeyed(operation, key),
  };
}

const isKeyed = ({ method, creates }: Operation, key: string | undefined) =>
  method === 'POST' && creates === true && key !== undefined;

const withForm = (operation: Operation, given: Fields): Fields =>
  operation.forms === 'ask' ? { ...given, format: given['format'] ?? 'json' } : given;

const pathNames = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);

/** Rejects unknown fields, because a misspelled one would otherwise be ignored silently. */
function refuseStrangers(name: string, operation: Operation, fields: Fields): void {
  const { path, query = [], body = [], raw, file } = operation;
  const isWhole = body === 'whole' || raw !== undefined;
  const known = [...pathNames(path), ...query, ...(isWhole ? ['body'] : body), file];
  for (const field of Object.keys(fields))
    if (!known.includes(field)) throw new TypeError(`${name} has no field ${field}`);
}

function pathOf(name: string, { path }: Operation, fields: Fields): string {
  return path.replace(/\{([^}]+)\}/g, (_, field: string) => {
    const value = fields[field];
    const text = value === undefined || value === null ? '' : String(value);
    // These values would change which path is requested.
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`${name} needs ${field}, which cannot be ${JSON.stringify(value)}`);
    return encodeURIComponent(text);
  });
}

function queryOf({ query = [], body = [] }: Operation, fields: Fields): string {
  const parameters = new URLSearchParams();
  for (const field of query) {
    const value = fields[field];
    // A field that both query and body accept goes into the body, which has no length limit.
    if (value === undefined || value === null || body.includes(field)) continue;
    parameters.set(field, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function bodyOf(
  { body, raw, file, needsBody }: Operation,
  fields: Fields,
): string | Blob | FormData | undefined {
  if (raw !== undefined) return fields['body'] as string | Blob;
  if (file !== undefined) {
    const form = new FormData();
    form.append(file, fields[file] as Blob);
    return form;
  }
  if (body === undefined) return undefined;
  if (body === 'whole') return JSON.stringify(fields['body'] ?? {});
  const given = body.filter((field) => fields[field] !== undefined);
  if (given.length === 0 && !needsBody) return undefined;
  return JSON.stringify(Object.fromEntries(given.map((field) => [field, fields[field]])));
}

/** `randomUUID` exists only in secure contexts in browsers. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
