import { describe, expect, it } from 'vitest';
import { generateClient } from '../../scripts/client/areas.js';
import type { OpenApi } from '../../scripts/client/document.js';

type Operation = OpenApi['paths'][string][string];

const operation = (operationId: string, more: Partial<Operation> = {}): Operation => ({
  operationId,
  summary: `Does ${operationId}`,
  tags: ['Halls'],
  security: [],
  parameters: [],
  responses: { 200: { content: { 'application/json': { schema: {} } } } },
  ...more,
});

const answering = (name: string): Operation['responses'] => ({
  200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
});

function generate(paths: OpenApi['paths'], schemas: OpenApi['components']['schemas'] = {}) {
  const tags = [{ name: 'Halls' }, { name: 'Far away' }];
  const files = generateClient({ tags, paths, components: { schemas } });
  return Object.fromEntries(files.map(({ path, text }) => [path.slice('client/src/areas/'.length), text]));
}

describe('Client generator', () => {
  it('writes one area per tag with operations, and a shared area', () => {
    const files = generate(
      {
        '/a': { get: operation('get_a', { responses: answering('Door') }) },
        '/b': { get: operation('get_b', { tags: ['Far away'], responses: answering('Gate') }) },
      },
      {
        Door: {
          type: 'object',
          required: ['lock'],
          properties: { lock: { $ref: '#/components/schemas/Lock' } },
        },
        Gate: { type: 'object', properties: { lock: { $ref: '#/components/schemas/Lock' } } },
        Lock: { type: 'object', properties: { 'key-hole': { type: ['string', 'null'] } } },
        Unused: { type: 'string' },
      },
    );
    expect(Object.keys(files).sort()).toEqual([
      'far-away.generated.ts',
      'halls.generated.ts',
      'index.generated.ts',
      'shared.generated.ts',
    ]);
    expect(files['halls.generated.ts']).toContain('export interface Door {\n  lock: Lock;\n}');
    expect(files['halls.generated.ts']).toContain("import type { Lock } from './shared.generated.js'");
    expect(files['shared.generated.ts']).toContain("'key-hole'?: string | null;");
    expect(JSON.stringify(files)).not.toContain('Unused');
  });

  it('never writes a wrong type for an unknown schema', () => {
    const { 'halls.generated.ts': text } = generate(
      { '/a': { get: operation('get_a', { responses: answering('Odd') }) } },
      { Odd: { if: {}, contentMediaType: 'x/y' } as object },
    );
    expect(text).toContain('export type Odd = unknown;');
  });

  it('keeps descriptions from ending their comment', () => {
    const { 'halls.generated.ts': text } = generate({
      '/a': { get: operation('get_a', { description: 'One */ process.exit() /*' }) },
    });
    expect(text).not.toContain('*/ process');
  });

  it('makes fields with a default optional, and prefers the body over the query', () => {
    const schema = { type: 'string', description: 'Words' };
    const { 'halls.generated.ts': text } = generate({
      '/a': {
        post: operation('ask', {
          parameters: [
            { name: 'q', in: 'query', required: false, schema },
            { name: 'return', in: 'query', required: false, schema },
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['q', 'limit'],
                  properties: {
                    q: schema,
                    limit: { type: 'integer', default: 5 },
                    return: { description: 'Not read' },
                  },
                },
              },
            },
          },
        }),
      },
    });
    expect(text).toMatch(/ {2}q: string;/);
    expect(text).toMatch(/ {2}limit\?: number;/);
    expect(text).toContain("query: ['q', 'return'], body: ['q', 'limit'], needsBody: true");
  });

  it('rejects duplicate names, and pagination of an answer that is not a list', () => {
    const clash = { GetAArguments: { type: 'string' } };
    const parameters = [{ name: 'x', in: 'query' as const, required: false, schema: {} }];
    expect(() =>
      generate(
        { '/a': { get: operation('get_a', { parameters, responses: answering('GetAArguments') }) } },
        clash,
      ),
    ).toThrow('two types called GetAArguments');
    const pagination = { style: 'cursor' as const, parameter: 'cursor', next: 'next', items: 'items' };
    expect(() => generate({ '/a': { get: operation('get_a', { 'x-pagination': pagination }) } })).toThrow(
      'no list',
    );
  });
});
