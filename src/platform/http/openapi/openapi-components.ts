/** Gathers the named schemas, so that the document has each of them once and refers to it elsewhere. */
export function createComponents() {
  const schemas = new Map<string, { text: string; schema: object }>();

  /** A schema with a title becomes a component; two different ones may not share a title. */
  function refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(refer);
    if (value === null || typeof value !== 'object') return value;
    const { title } = value as { title?: unknown };
    const plain = plainSchema(value as Record<string, unknown>);
    if (typeof title !== 'string') return plain;
    // Its title is the key it stands under.
    const { title: _, ...schema } = plain;
    const text = JSON.stringify(schema);
    const known = schemas.get(title);
    if (known && known.text !== text) throw new Error(`Two different schemas are called ${title}`);
    schemas.set(title, { text, schema });
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Without the words that only our own validation knows: a rule that nothing else tells is told in the description. */
  function plainSchema(given: Record<string, unknown>): Record<string, unknown> {
    const { rule, ...schema } = withoutNames(withoutUnionOfNull(given));
    const plain: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      const isOfAnyShape = key === 'properties' && Object.keys(value as object).length === 0;
      if (isOfAnyShape && schema['additionalProperties'] !== false) continue;
      plain[key] = key === 'properties' ? mapValues(value as object, refer) : refer(value);
    }
    // A pattern tells the rule to programs; people have the words of the description, and of the refusal.
    const isTold = plain['description'] && plain['pattern'];
    if (typeof rule !== 'string' || isTold) return plain;
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

/** An id for which a name may stand does not always have the form of an id; its description says what it takes. */
function withoutNames({ names, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (names === undefined) return schema;
  const { format: _, rule: __, ...rest } = schema;
  return rest;
}

/** "A string or null" is told in half the words. */
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
