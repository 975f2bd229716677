import type { Route } from './route.js';

/** Starting fails when a declaration is incomplete: an endpoint that is half described cannot be served. */
export function assertComplete(routes: Route[]): void {
  const faults = routes.flatMap((declaration) =>
    faultsOf(declaration).map((fault) => `${declaration.method} ${declaration.path}: ${fault}`),
  );
  const seen = new Set<string>();
  for (const { method, path } of routes) {
    const key = `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`;
    if (seen.has(key)) faults.push(`${method} ${path}: declared twice`);
    seen.add(key);
  }
  if (faults.length > 0)
    throw new Error(`Incomplete route declarations:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
}

function faultsOf(declaration: Route): string[] {
  const { path, summary, tags, access, params = {}, responses, body, query, upload } = declaration;
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
  if (access.scopes.length > 0 && !access.credentials.includes('pat'))
    faults.push('asks a scope of callers that have none');
  if (body && upload) faults.push('takes a JSON body and an upload');
  if (query && (query as { type?: string }).type !== 'object')
    faults.push('has a query that is no object schema');
  return faults;
}
