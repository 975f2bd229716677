interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, object>;
  required?: string[];
}
type Schemas = Record<string, object>;

/** An object that has all that another one has, and more, is told as that one and the rest. Shorter is what saves this much. */
const WORTH_A_REFERENCE = 200;

/**
 * Of schemas that are answered: a full card is a card and its long texts. Those that are asked stay whole, since a closed
 * schema cannot be a part of another.
 */
export function tellAsExtensions(schemas: Schemas, isAsked: (name: string) => boolean): Schemas {
  const objects = Object.entries(schemas).filter(
    (entry): entry is [string, Required<ObjectSchema>] => !isAsked(entry[0]) && isPlainObject(entry[1]),
  );
  const texts = new Map(
    objects.map(([name, { properties }]) => [
      name,
      new Map(Object.entries(properties).map(([key, property]) => [key, JSON.stringify(property)])),
    ]),
  );

  const extensionOf = (
    name: string,
    { properties, required }: Required<ObjectSchema>,
  ): object | undefined => {
    const own = texts.get(name)!;
    const contained = objects
      .filter(([other, { required: demanded }]) => {
        const parts = texts.get(other)!;
        return (
          parts.size < own.size &&
          [...parts].every(([key, text]) => own.get(key) === text) &&
          [...parts.keys()].every((key) => demanded.includes(key) === required.includes(key))
        );
      })
      .map(([other]) => ({ other, size: [...texts.get(other)!].join().length }))
      .sort((a, b) => b.size - a.size)[0];
    if (!contained || contained.size < WORTH_A_REFERENCE) return undefined;
    const isNew = (key: string) => !texts.get(contained.other)!.has(key);
    return {
      allOf: [
        { $ref: `#/components/schemas/${contained.other}` },
        {
          type: 'object',
          required: required.filter(isNew),
          properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isNew(key))),
        },
      ],
    };
  };

  const extensions = new Map(objects.map(([name, schema]) => [name, extensionOf(name, schema)]));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, extensions.get(name) ?? schema]),
  );
}

/** Nothing but type, properties and required: what says more about the whole cannot be taken apart. */
const isPlainObject = (schema: ObjectSchema): boolean =>
  Object.keys(schema).sort().join() === 'properties,required,type' && schema.type === 'object';
