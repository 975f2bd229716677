import type { Route } from './route.js';

interface KnownPath {
  pattern: RegExp;
  methods: Set<string>;
}

/** Tells which methods a path knows, so that a wrong method is told apart from an unknown path. */
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
