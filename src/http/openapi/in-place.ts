type Json = Record<string, unknown>;

const SCHEMAS = '#/components/schemas/';
const JSON_TYPE = 'application/json';

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

const nameIn = (value: Json): string | undefined => {
  const { $ref } = value;
  return typeof $ref === 'string' && $ref.startsWith(SCHEMAS) ? $ref.slice(SCHEMAS.length) : undefined;
};

/**
 * A schema that one place alone refers to stands in that place, under its title: that is shorter, and read without turning
 * pages. A body needs no title, because its operation has a name.
 */
export function putInPlace<T extends { components: { schemas: Record<string, object> } }>(document: T): T {
  const { schemas } = document.components;
  const uses = new Map<string, number>();
  const count = (value: unknown): void => {
    if (!isObject(value)) return;
    const name = nameIn(value);
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1);
    Object.values(value).forEach(count);
  };
  count(document);

  const place = (value: unknown, ofBody = false): unknown => {
    if (Array.isArray(value)) return value.map((each) => place(each));
    if (!isObject(value)) return value;
    const name = nameIn(value);
    if (name !== undefined && uses.get(name) === 1) {
      const { $ref: _, ...beside } = value;
      return { ...(!ofBody && { title: name }), ...(place(schemas[name]) as object), ...beside };
    }
    const isOfBody = (key: string) =>
      key === 'requestBody' || (ofBody && ['content', JSON_TYPE, 'schema'].includes(key));
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, place(part, isOfBody(key))]));
  };
  const shared = Object.fromEntries(Object.entries(schemas).filter(([name]) => uses.get(name) !== 1));
  return place({ ...document, components: { ...document.components, schemas: shared } }) as T;
}
