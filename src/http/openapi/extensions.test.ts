import { expect, it } from 'vitest';
import { tellAsExtensions } from './extensions.js';

const text = {
  type: 'string',
  description: 'A text whose description is as long as those of the interface are.',
};
const base = { type: 'object', required: ['a', 'b'], properties: { a: text, b: text, c: text } };
const more = { ...base, required: ['a', 'b', 'd'], properties: { ...base.properties, d: text } };
const asked = (name: string) => name === 'Asked';

it('tells what holds another as that one and the rest', () => {
  expect(tellAsExtensions({ Base: base, More: more }, asked)).toEqual({
    Base: base,
    More: {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        { type: 'object', required: ['d'], properties: { d: text } },
      ],
    },
  });
});

it.each<[string, Record<string, object>]>([
  ['differs in a field', { Base: base, More: { ...more, properties: { ...more.properties, a: {} } } }],
  ['demands another field', { Base: base, More: { ...more, required: ['a', 'b', 'c', 'd'] } }],
  ['is asked, and so is closed', { Base: base, Asked: more }],
  ['holds one that is asked', { Asked: base, More: more }],
  ['says more about the whole', { Base: base, More: { ...more, description: 'The whole.' } }],
  ['is the same', { Base: base, More: base }],
  [
    'would not be shorter',
    {
      Base: { ...base, properties: { a: {}, b: {}, c: {} } },
      More: { ...more, properties: { a: {}, b: {}, c: {}, d: {} } },
    },
  ],
])('leaves whole what %s', (_, schemas) => {
  expect(tellAsExtensions(schemas, asked)).toEqual(schemas);
});
