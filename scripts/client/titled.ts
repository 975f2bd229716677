import type { OpenApi, Schema } from './document.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object';

/** The document with every schema that has a title among the components, where types get their names from. */
export function gatherTitled(document: OpenApi): OpenApi {
  const schemas: Record<string, Schema> = {};
  const gather = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(gather);
    if (!isObject(value)) return value;
    const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, gather(part)]));
    const { title, ...schema } = parts;
    // `title` among the properties of something is a property.
    if (typeof title !== 'string' || !('type' in schema || 'anyOf' in schema || 'allOf' in schema))
      return parts;
    schemas[title] = schema as Schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  const { schemas: shared, ...others } = gather(document.components) as OpenApi['components'];
  const gathered = { ...document, paths: gather(document.paths) as OpenApi['paths'] };
  const byName = Object.entries({ ...shared, ...schemas }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...gathered, components: { ...others, schemas: Object.fromEntries(byName) } };
}
