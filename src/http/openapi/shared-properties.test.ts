import { expect, it } from 'vitest';
import { shareProperties } from './shared-properties.js';

const long = {
  type: 'string',
  description: 'A text whose description is as long as those of the interface are.',
};
const short = { type: 'string' };

it('refers to the property of a named schema that is told in the same words', () => {
  const patch = { type: 'object', properties: { due: long, name: short } };
  const body = {
    type: 'object',
    properties: { due: long, name: short, inner: { properties: { due: long } } },
  };
  const due = { $ref: '#/components/schemas/Patch/properties/due' };
  expect(shareProperties({ paths: { '/a': body }, components: { schemas: { Patch: patch } } })).toEqual({
    paths: { '/a': { type: 'object', properties: { due, name: short, inner: { properties: { due } } } } },
    components: { schemas: { Patch: patch } },
  });
});

it('tells it once where two named schemas have it, and a property that is called properties is one', () => {
  const one = { properties: { due: long } };
  const other = { properties: { due: long, properties: short } };
  expect(shareProperties({ components: { schemas: { One: one, Other: other } } })).toEqual({
    components: {
      schemas: {
        One: one,
        Other: {
          properties: { due: { $ref: '#/components/schemas/One/properties/due' }, properties: short },
        },
      },
    },
  });
});
