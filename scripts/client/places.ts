import type { OpenApi, Operation } from './document.js';
import { namesIn } from './types.js';

/** The area for types that several areas use. */
export const SHARED = 'Shared';

/** Assigns each named type to the area that uses it, or to the shared one. Unused types get none. */
export function placeTypes(document: OpenApi, operations: Operation[]): Map<string, string> {
  const { schemas } = document.components;
  const users = new Map<string, Set<string>>();
  const visit = (name: string, area: string) => {
    const known = users.get(name) ?? new Set();
    if (known.has(area)) return;
    users.set(name, known.add(area));
    for (const next of namesIn(schemas[name])) visit(next, area);
  };
  for (const operation of operations) for (const name of typesOf(operation)) visit(name, operation.area);
  return new Map(
    [...users]
      .map(([name, areas]): [string, string] => [name, areas.size > 1 ? SHARED : [...areas][0]!])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export const typesOf = ({ fields, answer, event }: Operation): string[] => [
  ...fields.flatMap(({ schema }) => namesIn(schema)),
  ...(answer.kind === 'json' ? namesIn(answer.schemas) : []),
  ...namesIn(event),
];
