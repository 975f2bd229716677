import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';

/** Implements the embeddings protocol: each word counts in one of 64 dimensions. */
class WordEndpoint {
  isDown = false;
  calls = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      this.calls++;
      if (this.isDown) return void response.writeHead(500).end('{}');
      const { input, model } = JSON.parse(body) as { input: string[]; model: string };
      const data = [input]
        .flat()
        .map((text, index) => ({ object: 'embedding', index, embedding: wordVector(text) }));
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ object: 'list', model, data }));
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function wordVector(text: string): number[] {
  const vector = new Array<number>(64).fill(0);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let hash = 0;
    for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) % 64;
    vector[hash]! += 1;
  }
  return vector;
}

interface Similar {
  matches: { id: string; path: string; similarity: number; type: string; pinned: boolean }[];
  compared: number;
  without_embedding: number;
  degraded?: string;
}
interface Sync {
  written: {
    id: string;
    path: string;
    change: string;
    possible_duplicate_of?: { id: string; path: string; similarity: number }[];
  }[];
  removed: string[];
  warnings: string[];
  duplicate_check?: string;
}

const endpoint = new WordEndpoint();
let code: CodeWorld;

beforeAll(async () => {
  code = await CodeWorld.start({ EMBEDDING_URL: await endpoint.start(), EMBEDDING_NAME: 'words' });
});
afterAll(async () => {
  await code.stop();
  endpoint.stop();
});

async function bareProject(world: CodeWorld): Promise<string> {
  return (await world.call<{ project_id: string }>('POST', '/api/v1/projects', { name: 'Pushed' })).body
    .project_id;
}
const sync = (
  world: CodeWorld,
  project_id: string,
  files: { path: string; content: string }[],
  complete?: boolean,
) =>
  world.call<Sync>('POST', '/api/v1/memory/entries:sync', {
    project_id,
    files,
    ...(complete !== undefined && { complete }),
  });
const similar = async (world: CodeWorld, question: object) =>
  (await world.call<Similar>('POST', '/api/v1/memory/entries:similar', question)).body;
const file = (slug: string, body: string, head = 'pinned: false') => ({
  path: `lessons/sync/${slug}.md`,
  content: lesson(head, body),
});

describe('POST /api/v1/memory/entries:similar', () => {
  it('compares a lesson once its embedding exists, and until then counts it in without_embedding', async () => {
    const world = await code.another();
    await sync(world, await bareProject(world), [
      file('one', 'never run hooks of a repository'),
      file('two', 'boards keep their order'),
    ]);
    expect(await similar(world, { text: 'never run hooks of a repository' })).toEqual({
      matches: [],
      compared: 0,
      without_embedding: 2,
    });
    await code.world.runJob('lesson-embed');
    expect(await similar(world, { text: 'Never run hooks of a repository' })).toEqual({
      matches: [{ id: 'sync/one', path: 'lessons/sync/one.md', similarity: 1, type: 'rule', pinned: false }],
      compared: 2,
      without_embedding: 0,
    });
  });

  it('respects type, k and threshold, best first', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    await sync(world, project, [
      file('a', 'alpha beta gamma delta'),
      file('b', 'alpha beta gamma'),
      { path: 'lessons/sync/c.md', content: lesson('pinned: true', 'alpha beta').replace('rule', 'gotcha') },
    ]);
    await code.world.runJob('lesson-embed');
    const all = await similar(world, { text: 'alpha beta gamma delta', threshold: -1, k: 10 });
    expect(all.matches.map(({ id }) => id)).toEqual(['sync/a', 'sync/b', 'sync/c']);
    expect(
      (await similar(world, { text: 'alpha beta gamma delta', threshold: -1, k: 1 })).matches.length,
    ).toBe(1);
    expect((await similar(world, { text: 'alpha beta gamma delta' })).matches.map(({ id }) => id)).toEqual([
      'sync/a',
    ]);
    const typed = await similar(world, { text: 'alpha beta', type: 'gotcha' });
    expect(typed).toMatchObject({ compared: 1, matches: [{ id: 'sync/c', type: 'gotcha', pinned: true }] });
  });

  it('answers 200 with no matches and a degraded reason when the embedding service is down', async () => {
    const world = await code.another();
    await sync(world, await bareProject(world), [file('x', 'some words')]);
    endpoint.isDown = true;
    try {
      expect(await similar(world, { text: 'asked while it is down' })).toEqual({
        matches: [],
        compared: 0,
        without_embedding: 1,
        degraded: 'embedding_unavailable',
      });
      expect((await sync(world, await bareProject(world), [file('y', 'some words again')])).status).toBe(200);
    } finally {
      endpoint.isDown = false;
    }
  });

  it.each([
    {},
    { text: '' },
    { text: '  ' },
    { text: 'a', k: 0 },
    { text: 'a', k: 11 },
    { text: 'a', threshold: -1.1 },
    { text: 'a', threshold: 1.1 },
    { text: 1 },
    { text: 'a', other: 1 },
  ])('refuses %j with 422', async (question) => {
    expect((await code.call('POST', '/api/v1/memory/entries:similar', question)).status).toBe(422);
  });

  it('excludes retired lessons and lessons of other workspaces', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    await sync(world, project, [file('gone', 'unique words here', 'status: retired')]);
    await code.world.runJob('lesson-embed');
    expect(await similar(world, { text: 'unique words here' })).toEqual({
      matches: [],
      compared: 0,
      without_embedding: 0,
    });
    expect((await similar(await code.another(), { text: 'unique words here', threshold: -1 })).compared).toBe(
      0,
    );
  });
});

describe('POST /api/v1/memory/entries:sync', () => {
  it('reports created, unchanged and updated, and removes lessons missing from a complete push', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    const first = await sync(world, project, [file('a', 'first'), file('b', 'second')]);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      written: [
        { id: 'sync/a', path: 'lessons/sync/a.md', change: 'created' },
        { id: 'sync/b', path: 'lessons/sync/b.md', change: 'created' },
      ],
      removed: [],
      warnings: [],
    });
    const second = await sync(world, project, [file('a', 'first'), file('b', 'changed')]);
    expect(second.body.written.map(({ change }) => change)).toEqual(['unchanged', 'updated']);
    expect((await sync(world, project, [file('a', 'first')])).body.removed).toEqual([]);
    expect((await sync(world, project, [file('a', 'first')], true)).body.removed).toEqual(['sync/b']);
  });

  it('never removes a lesson whose file could not be read, and warns about a path outside the lesson format', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    await sync(world, project, [file('a', 'kept')]);
    const { body } = await sync(
      world,
      project,
      [
        { path: 'lessons/sync/a.md', content: 'broken' },
        { path: 'docs/a.md', content: lesson('') },
      ],
      true,
    );
    expect(body).toEqual({
      written: [],
      removed: [],
      warnings: [
        'lessons/sync/a.md: the front matter is missing',
        'docs/a.md: a lesson file is lessons/<area>/<slug>.md',
      ],
    });
  });

  it('returns possible_duplicate_of with up to three existing lessons at 0.90 or above', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    const text = 'always close the reader before the writer';
    await sync(
      world,
      project,
      ['a', 'b', 'c', 'd'].map((slug) => file(slug, text)),
    );
    const { body } = await sync(world, project, [file('new', text), file('other', 'nothing in common')]);
    expect(body.written[0]!.possible_duplicate_of).toEqual([
      { id: 'sync/a', path: 'lessons/sync/a.md', similarity: 1 },
      { id: 'sync/b', path: 'lessons/sync/b.md', similarity: 1 },
      { id: 'sync/c', path: 'lessons/sync/c.md', similarity: 1 },
    ]);
    expect(body.written[1]).not.toHaveProperty('possible_duplicate_of');
    expect(body).not.toHaveProperty('duplicate_check');
  });

  it('compares only with lessons that existed before the call', async () => {
    const world = await code.another();
    const { body } = await sync(world, await bareProject(world), [
      file('one', 'same words twice'),
      file('two', 'same words twice'),
    ]);
    expect(body.written.some((item) => 'possible_duplicate_of' in item)).toBe(false);
  });

  it('sets truncated above 25 files and omits possible_duplicate_of from the 26th on', async () => {
    const world = await code.another();
    const project = await bareProject(world);
    await sync(world, project, [file('old', 'the very same words')]);
    const many = (count: number, mark: string) =>
      Array.from({ length: count }, (_, n) =>
        file(`${mark}${String(n).padStart(2, '0')}`, 'the very same words'),
      );
    const exact = await sync(world, project, many(25, 'x'));
    expect(exact.body.duplicate_check).toBeUndefined();
    const { body } = await sync(world, project, many(26, 'y'));
    expect(body.duplicate_check).toBe('truncated');
    expect(body.written[24]).toHaveProperty('possible_duplicate_of');
    expect(body.written[25]).not.toHaveProperty('possible_duplicate_of');
  });

  it('binds anchors to the index and warns about anchors that do not resolve', async () => {
    const project = await code.project({ 'src/a.ts': 'export function f() {}\n' });
    const { body } = await sync(code, project.id, [
      file('anchored', 'x', 'anchors: ["src/a.ts#f", src, none.ts]'),
    ]);
    expect(body.warnings).toEqual(['lessons/sync/anchored.md: the anchor "none.ts" resolves to nothing']);
    project.repository.move('src', 'lib').commit();
    await project.index();
    const found = await code.call<{ items: { anchors: string[] }[] }>(
      'GET',
      `/api/v1/memory/entries/search?project_id=${project.id}&anchor=lib/a.ts`,
    );
    expect(found.body.items[0]!.anchors).toEqual(['lib/a.ts#f', 'lib/', 'none.ts']);
  });

  it('warns when the pushed path exists in the repository, where only the index run writes it', async () => {
    const project: Project = await code.project({
      'a.ts': '',
      'lessons/sync/held.md': lesson('anchors: [a.ts]', 'From the repository.'),
    });
    const { body } = await sync(code, project.id, [file('held', 'Pushed.')], true);
    expect(body).toMatchObject({ written: [], removed: [] });
    expect(body.warnings).toEqual([
      'lessons/sync/held.md: the repository holds this file, so it is read from there',
    ]);
    await sync(code, project.id, [file('pushed', 'Pushed.')]);
    await project.save({ 'b.ts': '' });
    const { body: after } = await sync(code, project.id, [], true);
    expect(after.removed).toEqual(['sync/pushed']);
  });

  it('requires memory:write, and answers 404 for a project of another workspace', async () => {
    const project = await bareProject(code);
    const token = await code.world.token(code.workspace.brand, code.workspace.admin, ['memory:read']);
    const payload = { project_id: project, files: [] };
    expect(
      (await code.call('POST', '/api/v1/memory/entries:sync', payload, { authorization: `Bearer ${token}` }))
        .status,
    ).toBe(403);
    expect((await sync(await code.another(), project, [])).status).toBe(404);
    expect(
      (await code.call('POST', '/api/v1/memory/entries:sync', { project_id: 'x', files: [] })).status,
    ).toBe(422);
    expect(
      (
        await code.call('POST', '/api/v1/memory/entries:sync', {
          project_id: project,
          files: [{ path: 'a' }],
        })
      ).status,
    ).toBe(422);
  });
});

describe('Changing the model', () => {
  it('re-embeds all lessons and never compares vectors of the old model', async () => {
    const world = await code.another();
    await sync(world, await bareProject(world), [file('m', 'model words')]);
    await code.world.runJob('lesson-embed');
    await code.world.db
      .updateTable('lesson_vectors')
      .set({ model: 'older' })
      .where('brand_id', '=', world.workspace.brand.brand_id)
      .execute();
    const fresh = { text: `model words ${'!'.repeat(3)}` };
    // A process with the new model caches nothing of the old one.
    expect(
      (
        await code.world.db
          .selectFrom('lesson_vectors')
          .select('model')
          .where('brand_id', '=', world.workspace.brand.brand_id)
          .execute()
      ).map(({ model }) => model),
    ).toEqual(['older']);
    await code.world.runJob('lesson-embed');
    expect(
      (
        await code.world.db
          .selectFrom('lesson_vectors')
          .select(['model', 'dimensions'])
          .where('brand_id', '=', world.workspace.brand.brand_id)
          .execute()
      ).map(({ model, dimensions }) => [model === 'older', dimensions]),
    ).toEqual([[false, 64]]);
    expect((await similar(world, fresh)).compared).toBe(1);
  });
});
