/** Gathers what many operations share, so that the document says it once and refers to it elsewhere. */
export function createComponents() {
  const schemas = new Map<string, { text: string; schema: object }>();
  const responses = createShelf('responses');
  const parameters = createShelf('parameters');

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

  /** Without the words that only our own validation knows: a rule is told in the description. */
  function plainSchema(given: Record<string, unknown>): Record<string, unknown> {
    const { rule, ...schema } = withoutUnionOfNull(given);
    const plain: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      plain[key] = key === 'properties' ? mapValues(value as object, refer) : refer(value);
    }
    if (typeof rule !== 'string') return plain;
    const told = `It ${rule}.`;
    return { ...plain, description: plain['description'] ? `${plain['description']} ${told}` : told };
  }

  return {
    refer,

    /** The same answer of many operations is described once. */
    referResponse: (name: string, response: object, like?: string): object =>
      responses.refer(name, response, like),

    /** The same parameter of many operations is described once. */
    referParameter: (name: string, parameter: object): object =>
      parameters.refer(name.replace(/[^A-Za-z0-9_]/g, '_'), refer(parameter) as object),

    list: (answers: Record<string, object>) => ({
      schemas: Object.fromEntries(
        [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, { schema }]) => [title, schema]),
      ),
      responses: { ...answers, ...responses.list() },
      parameters: parameters.list(),
    }),
  };
}

export type Components = ReturnType<typeof createComponents>;

/**
 * Things that are told alike stand here once, under a name that says what they are. What only one operation has stays with
 * it: a reference would be longer and say less. Which is which is known when all have been told, so the places are filled then.
 */
function createShelf(kind: string) {
  const told = new Map<string, { name: string; thing: object; like: string | undefined; places: object[] }>();
  return {
    /** `like`: one on the shelf that differs in nothing but the description. */
    refer(name: string, thing: object, like?: string): object {
      const place = {};
      const text = JSON.stringify(thing);
      const known = told.get(text);
      if (known) known.places.push(place);
      else told.set(text, { name, thing, like, places: [place] });
      return place;
    },
    list(): Record<string, object> {
      const kept: Record<string, object> = {};
      for (const { name, thing, like, places } of told.values()) {
        const shared = places.length > 1 ? freeName(name, kept) : undefined;
        const { description } = thing as { description?: string };
        const own = like ? { $ref: `#/components/${kind}/${like}`, description } : thing;
        if (shared) kept[shared] = own;
        for (const place of places)
          Object.assign(place, shared ? { $ref: `#/components/${kind}/${shared}` } : own);
      }
      return Object.fromEntries(Object.entries(kept).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
  };
}

function freeName(name: string, taken: object): string {
  let free = name;
  for (let number = 2; free in taken; number += 1) free = `${name}_${number}`;
  return free;
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
