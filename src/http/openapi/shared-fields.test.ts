import { expect, it } from 'vitest';
import { shareFields } from './shared-fields.js';

const keys = Array.from({ length: 10 }, (_, index) => `field_${index}`);
const told = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]));
const at = (name: string, key: string) => ({ $ref: `#/components/schemas/${name}/properties/${key}` });
const referring = (name: string, some = keys) => Object.fromEntries(some.map((key) => [key, at(name, key)]));
const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const allOf = [{ $ref: '#/components/schemas/PatchFields' }];

it('lets what is made and what is changed refer to their fields at once', () => {
  const before = { type: 'string', format: 'uuid' };
  const body = closed(referring('Patch'), { required: ['field_1'] });
  const patch = closed({ ...told, before });
  const elsewhere = { other: at('Patch', 'field_3'), own: at('Patch', 'before') };
  expect(shareFields({ body, elsewhere, components: { schemas: { Patch: patch } } })).toEqual({
    body: { allOf, required: ['field_1'], unevaluatedProperties: false },
    elsewhere: { other: at('PatchFields', 'field_3'), own: at('Patch', 'before') },
    components: {
      schemas: {
        Patch: { allOf, properties: { before }, unevaluatedProperties: false },
        PatchFields: { type: 'object', properties: told },
      },
    },
  });
});

it.each([
  ['shares fewer', closed(referring('Patch', keys.slice(1)))],
  ['is open', { type: 'object', properties: referring('Patch') }],
])('leaves as it is what %s', (_, body) => {
  const document = { body, components: { schemas: { Patch: closed(told) } } };
  expect(shareFields(document)).toEqual(document);
});
