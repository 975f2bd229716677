import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { silentLog } from '../../kernel/log.js';
import { normalise } from '../../platform/encoder/cosine.js';
import { type Embedder, EmbeddingUnavailable } from '../../platform/encoder/embedder.js';
import { memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { createOperationFinder } from './find-operations.js';
import { listOperations } from './operations.js';

const declare = (name: string, summary: string): Route =>
  route({
    name,
    method: 'GET',
    path: `/${name}`,
    summary,
    tags: ['Boards'],
    access: memberAccess(),
    responses: { 200: null },
    errors: [],
    handler: () => ({}),
  });

const operations = listOperations([
  declare('update_task', 'Change a card'),
  declare('list_members', 'List the members of the workspace'),
  declare('cancel_build', 'Stop a build'),
]);

/** The stub embeds texts by these two topics. */
const SUBJECTS = [/card|ticket/, /member|colleagues/];
const meaningOf = (text: string) =>
  normalise(Float32Array.from([...SUBJECTS.map((words) => (words.test(text) ? 1 : 0)), 0.01]));

function startEmbedder() {
  const asked: string[][] = [];
  const state = { broken: false };
  const embedder: Embedder = {
    modelId: 'test',
    dimensions: 3,
    asleep: false,
    waiting: 0,
    async embed(texts) {
      asked.push(texts);
      if (state.broken) throw new EmbeddingUnavailable('it is broken');
      return texts.map(meaningOf);
    },
    close: async () => {},
  };
  return { embedder, asked, state };
}

const namesIn = (text: string): string[] => (parse(text) as { name: string }[]).map(({ name }) => name);

describe('find_operation', () => {
  it('searches by words until all operations are embedded, then by meaning, and embeds them once', async () => {
    const { embedder, asked } = startEmbedder();
    const finder = createOperationFinder({ embedder, log: silentLog });
    const find = (question: string) => finder.find(operations, operations, question);
    for (const text of await Promise.all([find('my colleagues'), find('my colleagues')]))
      expect(text).toBe('No operation has these words; try others.');
    expect(namesIn(await find('stop it'))).toEqual(['cancel_build']);
    await expect.poll(() => find('my colleagues')).toContain('list_members');
    expect(namesIn(await find('close the ticket'))).toEqual(['update_task']);
    expect(asked.filter((texts) => texts.length > 1)).toHaveLength(1);
  });

  it('hides operations that the caller may not see', async () => {
    const { embedder } = startEmbedder();
    const finder = createOperationFinder({ embedder, log: silentLog });
    const seen = operations.filter(({ name }) => name === 'list_members');
    await finder.find(operations, seen, 'card');
    await expect.poll(() => finder.find(operations, seen, 'colleagues')).toContain('list_members');
    expect(await finder.find(operations, seen, 'ticket')).toBe('No operation has these words; try others.');
  });

  it('searches by words without an encoder', async () => {
    const { embedder, state, asked } = startEmbedder();
    state.broken = true;
    const finder = createOperationFinder({ embedder, log: silentLog });
    for (let times = 0; times < 3; times += 1)
      expect(namesIn(await finder.find(operations, operations, 'change the card'))).toEqual(['update_task']);
    expect(asked).toHaveLength(1);
  });
});
