import type { Fields, Operation } from './operation.js';
import type { CallOptions, GuildhallOptions } from './options.js';

export interface PlannedRequest {
  url: string;
  init: RequestInit;
  /** Nothing happens twice when it is sent twice. */
  repeatable: boolean;
}

/** Puts every field of the flat object where it belongs. */
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
      // A session is the browser's; who has a token is nobody else.
      credentials: headers.has('authorization') ? 'omit' : 'same-origin',
      // A credential goes to the address it was meant for and to no other.
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

/** A misspelt field would otherwise be left out without a word. */
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
    // Each of these would make it the address of something else.
    if (text === '' || text === '.' || text === '..')
      throw new TypeError(`${name} needs ${field}, which cannot be ${JSON.stringify(value)}`);
    return encodeURIComponent(text);
  });
}

function queryOf({ query = [], body = [] }: Operation, fields: Fields): string {
  const parameters = new URLSearchParams();
  for (const field of query) {
    const value = fields[field];
    // What both can hold goes into the body, which has room.
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

/** Not `randomUUID`: browsers have that on secure pages only. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
