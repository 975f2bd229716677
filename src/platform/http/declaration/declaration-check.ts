import type { TSchema } from 'typebox';
import { effectOf, type PathParams, type Route } from './route.js';

const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const LONGEST_NAME = 40;

/** Throws on start when a declaration is incomplete. */
export function assertComplete(routes: Route[]): void {
  const faults = routes.flatMap((declaration) =>
    faultsOf(declaration).map((fault) => `${declaration.method} ${declaration.path}: ${fault}`),
  );
  const seen = new Set<string>();
  const names = new Set<string>();
  for (const { name, method, path } of routes) {
    if (names.has(name)) faults.push(`${method} ${path}: is called ${name}, like another one`);
    names.add(name);
    const key = `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`;
    if (seen.has(key)) faults.push(`${method} ${path}: declared twice`);
    seen.add(key);
  }
  if (faults.length > 0)
    throw new Error(`Incomplete route declarations:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
}

const faultsOf = (declaration: Route): string[] => [
  ...accessFaults(declaration),
  ...programFaults(declaration),
  ...missingDescriptions(declaration),
];

function accessFaults(declaration: Route): string[] {
  const { path, summary, tags, access, params = {}, responses, body, query, upload, rawBody } = declaration;
  const faults: string[] = [];
  const asPerson = access.credentials.some((credential) => credential === 'pat' || credential === 'session');
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  if (!summary?.trim()) faults.push('has no summary');
  if (!tags?.length) faults.push('has no tag');
  if (Object.keys(responses ?? {}).length === 0) faults.push('declares no response');
  if (!declaration.errors) faults.push('declares no errors');
  for (const name of names) {
    if (!(name in params) && !(name === 'brand_id' && asPerson))
      faults.push(`does not declare the path parameter ${name}`);
  }
  for (const name of Object.keys(params))
    if (!names.includes(name)) faults.push(`declares ${name}, which its path does not have`);
  if ((access.scopes.length > 0 || access.beyondReading) && !access.credentials.includes('pat'))
    faults.push('asks a scope of callers that have none');
  if (body && upload) faults.push('takes a JSON body and an upload');
  if (rawBody && (body || upload)) faults.push('takes a raw body and another one');
  const isSigned = rawBody?.signed && access.credentials.length === 0;
  if ((upload || rawBody) && (access.credentials.length === 0 || access.optional) && !isSigned)
    faults.push('takes a file from callers without a credential');
  if (declaration.openToBuilds && access.role === 'admin') faults.push('opens to builds what is for admins');
  if (query && (query as { type?: string }).type !== 'object')
    faults.push('has a query that is no object schema');
  return faults;
}

/** Checks what client programs rely on: name, effect and repeatability. */
function programFaults(declaration: Route): string[] {
  const { name, method, path, access, responses, creates, permit, ready, headers = [] } = declaration;
  const faults: string[] = [];
  if (!name) faults.push('has no name');
  else if (!NAME.test(name) || name.length > LONGEST_NAME)
    faults.push(`is called ${name}, which is not snake case of at most ${LONGEST_NAME} characters`);
  if (method === 'GET' && effectOf(declaration) !== 'read') faults.push('is a GET that is declared to write');
  if (declaration.mayLag && !canLag(declaration)) faults.push('may lag, and is no plain read of a member');
  if (declaration.mayLag && ready) faults.push('may lag, and would keep ready what is late');
  const byMember = access.credentials.includes('pat') || access.credentials.includes('session');
  if (byMember && 201 in (responses ?? {}) && !creates)
    faults.push('answers 201 and does not declare `creates`');
  if (creates && access.role === 'guest' && path.includes('{') && !permit)
    faults.push('is open to guests and does not declare who is permitted a kept answer');
  if (
    ready &&
    (method !== 'GET' ||
      !(304 in (responses ?? {})) ||
      !READY_HEADERS.every((each) => headers.includes(each)))
  )
    faults.push(`has its answer ready and is no GET with ${READY_HEADERS.join(', ')} and a 304`);
  return faults;
}

/** Whether the read can run twice, for a known caller whose own writes must be visible. */
const canLag = (declaration: Route): boolean =>
  effectOf(declaration) === 'read' &&
  !declaration.upload &&
  !declaration.rawBody &&
  !declaration.access.optional &&
  declaration.access.credentials.length > 0 &&
  declaration.access.credentials.every((credential) => ['pat', 'session', 'build'].includes(credential));
const READY_HEADERS = ['If-None-Match', 'ETag'] as const;

/** Required because agents know an operation only by its descriptions. */
function missingDescriptions({ description, params, query, body }: Route): string[] {
  const undescribed = [
    ...Object.entries((params ?? {}) as PathParams)
      .filter(([, param]) => !param.description?.trim())
      .map(([name]) => name),
    ...undescribedFields(query),
    ...undescribedFields(body),
  ];
  return [
    ...(description?.trim() ? [] : ['has no description']),
    ...undescribed.map((name) => `does not describe ${name}`),
  ];
}

interface Part {
  description?: string;
  properties?: Record<string, Part>;
  items?: Part;
  anyOf?: Part[];
}

function undescribedFields(schema: TSchema | Part | undefined, path = ''): string[] {
  if (!schema) return [];
  const { properties = {}, items, anyOf = [] } = schema as Part;
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(field.description?.trim() ? [] : [path + name]),
    ...undescribedFields(field, `${path}${name}.`),
  ]);
  return [
    ...own,
    ...undescribedFields(items, path),
    ...anyOf.flatMap((part) => undescribedFields(part, path)),
  ];
}

interface KnownPath {
  pattern: RegExp;
  methods: Set<string>;
}

/** Returns the methods of a path, to distinguish a wrong method from an unknown path. */
export function methodsByPath(routes: Route[]): (path: string) => string[] {
  const known = new Map<string, KnownPath>();
  for (const { path, method } of routes) {
    const source = path.replace(/\{[^}]+\}|[.*+?^$()|[\]\\]/g, (part) =>
      part.startsWith('{') ? '[^/]+' : `\\${part}`,
    );
    const entry = known.get(source) ?? { pattern: new RegExp(`^${source}$`), methods: new Set() };
    entry.methods.add(method);
    if (method === 'GET') entry.methods.add('HEAD');
    known.set(source, entry);
  }
  return (path) => [
    ...new Set(
      [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]),
    ),
  ];
}
