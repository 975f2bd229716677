export function createComponents() {
  const schemas = new Map<string, { text: string; schema: object }>();

  /** A schema with a title becomes a component. Two different schemas must not share a title. */
  function refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(refer);
    if (value === null || typeof value !== 'object') return value;
    const { title } = value as { title?: unknown };
    const plain = plainSchema(value as Record<string, unknown>);
    if (typeof title !== 'string') return plain;
    const { title: _, ...schema } = plain;
    const text = JSON.stringify(schema);
    const known = schemas.get(title);
    if (known && known.text !== text) throw new Error(`Two different schemas are called ${title}`);
    schemas.set(title, { text, schema });
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Moves the text of Guildhall's own validation rules into the description. */
  function plainSchema(given: Record<string, unknown>): Record<string, unknown> {
    const { rule, ...schema } = withoutNames(withoutUnionOfNull(given));
    const plain: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      const isOfAnyShape = key === 'properties' && Object.keys(value as object).length === 0;
      if (isOfAnyShape && schema['additionalProperties'] !== false) continue;
      plain[key] = key === 'properties' ? mapValues(value as object, refer) : refer(value);
    }
    // The pattern already states the rule.
    const isDemoAttempt = plain['description'] && plain['pattern'];
    if (typeof rule !== 'string' || isDemoAttempt) return plain;
    const told = `It ${rule}.`;
    return { ...plain, description: plain['description'] ? `${plain['description']} ${told}` : told };
  }

  return {
    refer,
    list: (): Record<string, object> =>
      Object.fromEntries(
        [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, { schema }]) => [title, schema]),
      ),
  };
}

export type Components = ReturnType<typeof createComponents>;

/** A parameter that accepts names does not have the format of an id. */
function withoutNames({ names, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (names === undefined) return schema;
  const { format: _, rule: __, ...rest } = schema;
  return rest;
}

/** Uses `type: [string, null]` instead of a union. */
function withoutUnionOfNull({ anyOf, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(anyOf)) return rest;
  const [other, none] = anyOf as Record<string, unknown>[];
  const isSimple =
    anyOf.length === 2 && none?.['type'] === 'null' && typeof other?.['type'] === 'string' && !other['title'];
  if (!isSimple) return { anyOf, ...rest };
  const values = other!['enum'];
  return {
    ...other,
    ...rest,
    type: [other!['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}

const mapValues = (object: object, change: (value: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

type Json = Record<string, unknown>;

interface Described {
  paths: Record<string, Record<string, object>>;
  schemas: Record<string, object>;
  responses: Record<string, object>;
}

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

/**
 * Requests reject unknown fields, while responses may gain fields in later versions. Only schemas used in
 * requests keep `additionalProperties: false`.
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
    // Readers do not need to know that a count is not negative.
    ([key, part]) =>
      !(key === 'additionalProperties' && part === false) && !(key === 'minimum' && part === 0),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, open(part)]));
}
