/** Said of a refusal whose own words stand where it is referred to. */
export const REFUSED = 'Refused: `detail` says why';

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

    /** The same answer of many operations is described once; `like` names one that differs in nothing but the description. */
    referResponse: (name: string, response: object, like?: string): object =>
      responses.refer(name, response, like),

    /** An answer that others may differ from in nothing but the description; what they share has this name then. */
    referKin: (name: string, response: Described, kin: string): object =>
      responses.refer(name, response, undefined, kin),

    /** The same parameter of many operations is described once. */
    referParameter: (name: string, parameter: object): object =>
      parameters.refer(shortName(name), refer(parameter) as object),

    list: (answers: Record<string, object>) => ({
      schemas: Object.fromEntries(
        [...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, { schema }]) => [title, schema]),
      ),
      responses: { ...answers, ...responses.list() },
      parameters: parameters.list(),
    }),
  };
}

/** `brand_id` is told of brands, `Idempotency-Key` is the key: an address that many refer to is short. */
const shortName = (name: string): string => name.replace(/_id$/, '').replace(/^.*[^A-Za-z0-9_]/, '');

export type Components = ReturnType<typeof createComponents>;

interface Described {
  description: string;
}

interface Told {
  name: string;
  thing: object;
  like: string | undefined;
  kin: string | undefined;
  places: object[];
}

/**
 * Things that are told alike stand here once, under a name that says what they are. What only one operation has stays with
 * it: a reference would be longer and say less. Which is which is known when all have been told, so the places are filled then.
 */
function createShelf(kind: string) {
  const told = new Map<string, Told>();
  const address = (name: string) => `#/components/${kind}/${name}`;

  /** What several share but for the description stands on the shelf by itself. */
  function shelveKin(kept: Record<string, object>): void {
    const byBody = new Map<string, Told[]>();
    for (const each of told.values()) {
      if (each.kin === undefined) continue;
      const { description: _, ...body } = each.thing as Described;
      const text = JSON.stringify(body);
      byBody.set(text, [...(byBody.get(text) ?? []), each]);
    }
    for (const [text, [first, ...others]] of byBody) {
      if (others.length === 0) continue;
      const name = freeName(first!.kin!, kept);
      kept[name] = { description: REFUSED, ...JSON.parse(text) };
      for (const each of [first!, ...others]) each.like = name;
    }
  }

  return {
    refer(name: string, thing: object, like?: string, kin?: string): object {
      const place = {};
      const text = JSON.stringify(thing);
      const known = told.get(text);
      if (known) known.places.push(place);
      else told.set(text, { name, thing, like, kin, places: [place] });
      return place;
    },
    list(): Record<string, object> {
      const kept: Record<string, object> = {};
      shelveKin(kept);
      // What is told most has the shortest name.
      const byUse = [...told.values()].sort((one, other) => other.places.length - one.places.length);
      for (const { name, thing, like, places } of byUse) {
        const shared = places.length > 1 ? freeName(name, kept) : undefined;
        const { description } = thing as { description?: string };
        const own = like ? { $ref: address(like), description } : thing;
        if (shared) kept[shared] = own;
        for (const place of places) Object.assign(place, shared ? { $ref: address(shared) } : own);
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
