type Json = Record<string, unknown>;

interface Described {
  paths: Record<string, Record<string, object>>;
  schemas: Record<string, object>;
  responses: Record<string, object>;
}

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

/**
 * What is asked is closed, and an unknown key is refused; what is answered may have more keys in a later version, and whoever
 * reads it has to expect that. So only schemas that a request is made of say that there is nothing else.
 */
export function openAnswers({ paths, schemas, responses }: Described): Described {
  const asked = new Set<string>();
  const follow = (value: unknown): void => {
    if (!isObject(value)) return;
    const name = typeof value['$ref'] === 'string' ? value['$ref'].split('/').at(-1)! : undefined;
    if (name !== undefined && !asked.has(name)) {
      asked.add(name);
      follow(schemas[name]);
    }
    for (const part of Object.values(value)) follow(part);
  };
  for (const operation of Object.values(paths).flatMap(Object.values))
    follow((operation as Json)['requestBody']);
  return {
    schemas: mapEntries(schemas, (schema, name) => (asked.has(name) ? schema : open(schema))),
    responses: mapEntries(responses, open),
    paths: mapEntries(paths, (operations) =>
      mapEntries(operations, (operation) => ({
        ...operation,
        responses: open((operation as Json)['responses']),
      })),
    ),
  };
}

const mapEntries = <T extends object>(
  record: Record<string, T>,
  change: (value: T, name: string) => unknown,
): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name) as T]));

function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    // That a count is not negative need not be said to whoever is told it.
    ([key, part]) =>
      !(key === 'additionalProperties' && part === false) && !(key === 'minimum' && part === 0),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, open(part)]));
}
