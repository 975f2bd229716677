type Json = Record<string, unknown>;

interface ClosedObject {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
  additionalProperties: false;
}

interface Described {
  components: { schemas: Record<string, object> };
}

/** Fewer are told sooner than they are referred to. */
const WORTH_A_SCHEMA = 10;

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

const isClosed = (value: unknown): value is ClosedObject =>
  isObject(value) && value['additionalProperties'] === false && isObject(value['properties']);

/**
 * What a thing is made with and what it is changed to are nearly the same. Where a closed schema holds most of what a named
 * one holds, by reference, both refer to those fields at once; and each says that there is nothing else.
 */
export function shareFields<T extends Described>(document: T): T {
  const { schemas } = document.components;
  const shared = new Map<string, string[]>();
  const fieldsIn = (value: unknown): void => {
    if (!isObject(value)) return;
    if (isClosed(value)) {
      const [name, keys] = borrowed(value) ?? [];
      if (name !== undefined && keys && isClosed(schemas[name]) && !shared.has(name)) shared.set(name, keys);
    }
    Object.values(value).forEach(fieldsIn);
  };
  fieldsIn(document);

  const place = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(place);
    if (!isObject(value)) return value;
    const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, place(part)]));
    const [name, keys] = (isClosed(value) ? borrowed(value) : undefined) ?? [];
    const isShared = name !== undefined && keys?.join() === shared.get(name)?.join();
    return isShared ? without(parts as unknown as ClosedObject, keys!, name) : parts;
  };
  const placed = place(document) as T;
  for (const [name, keys] of shared) {
    const whole = placed.components.schemas[name] as ClosedObject;
    const properties = Object.fromEntries(keys.map((key) => [key, whole.properties[key]]));
    Object.assign(placed.components.schemas, {
      [name]: without(whole, keys, name),
      [fieldsOf(name)]: { type: 'object', properties },
    });
  }
  return redirect(placed, shared);
}

/** Whoever refers to one of those fields finds it where it is told now. */
function redirect<T>(value: T, shared: ReadonlyMap<string, string[]>): T {
  if (Array.isArray(value)) return value.map((each) => redirect(each, shared)) as T;
  if (!isObject(value)) return value;
  const [, name, key] = PROPERTY.exec(String(value['$ref'])) ?? [];
  if (name !== undefined && shared.get(name)?.includes(key!))
    return { ...value, $ref: `#/components/schemas/${fieldsOf(name)}/properties/${key}` };
  return Object.fromEntries(Object.entries(value).map(([part, each]) => [part, redirect(each, shared)])) as T;
}

const PROPERTY = /^#\/components\/schemas\/([^/]+)\/properties\/([^/]+)$/;

const fieldsOf = (name: string): string => `${name}Fields`;

/** The named schema that most of the fields are told in, under the same keys. */
function borrowed({ properties }: ClosedObject): [name: string, keys: string[]] | undefined {
  const byName = new Map<string, string[]>();
  for (const [key, property] of Object.entries(properties)) {
    const { $ref } = property as { $ref?: string };
    const [, name, of] = PROPERTY.exec($ref ?? '') ?? [];
    if (name !== undefined && of === key) byName.set(name, [...(byName.get(name) ?? []), key]);
  }
  const [most] = [...byName].sort(([, one], [, other]) => other.length - one.length);
  return most && most[1].length >= WORTH_A_SCHEMA ? most : undefined;
}

function without(whole: ClosedObject, keys: string[], name: string): object {
  const { additionalProperties: _, properties, type: __, ...beside } = whole;
  const own = Object.entries(properties).filter(([key]) => !keys.includes(key));
  return {
    ...beside,
    allOf: [{ $ref: `#/components/schemas/${fieldsOf(name)}` }],
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    unevaluatedProperties: false,
  };
}
