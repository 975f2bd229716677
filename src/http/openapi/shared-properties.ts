type Json = Record<string, unknown>;

interface Described {
  components: { schemas: Record<string, object> };
}

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

/**
 * A property that a named schema tells in the same words is told there: what a card may be changed to is what it may be made
 * with. Only where the reference is shorter.
 */
export function shareProperties<T extends Described>(document: T): T {
  const told = new Map<string, string>();
  for (const [name, { properties = {} }] of Object.entries<{ properties?: object }>(
    document.components.schemas,
  ))
    for (const [key, property] of Object.entries(properties)) {
      const text = JSON.stringify(property);
      if (!told.has(text)) told.set(text, `#/components/schemas/${name}/properties/${key}`);
    }

  const refer = (property: unknown, here: string): unknown => {
    const text = JSON.stringify(property);
    const place = told.get(text);
    const reference = { $ref: place };
    const isShorter = JSON.stringify(reference).length < text.length;
    return place !== undefined && place !== here && isShorter ? reference : share(property, here);
  };
  const share = (value: unknown, here: string): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => share(each, `${here}/${index}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        key === 'properties' && isObject(part)
          ? Object.fromEntries(
              Object.entries(part).map(([name, property]) => [
                name,
                refer(property, `${here}/properties/${name}`),
              ]),
            )
          : share(part, `${here}/${key}`),
      ]),
    );
  };
  return share(document, '#') as T;
}
