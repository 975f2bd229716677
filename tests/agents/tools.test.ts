import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../support/code-world.js';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  default?: unknown;
  minimum?: number;
  description?: string;
}
interface Tool {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, Schema>; required?: string[] };
}

const MOST_TOKENS = 6000;
/** Refusals because of the current state, not because of the argument. */
const MATTERS_OF_STATE = /build_open|another card of the column/;

let code: CodeWorld;
let project: Project;
let listed: string;
let tools: Tool[];
/** The names of all operations, and of all fields in requests and responses. */
let operations: Set<string>;
let fields: Set<string>;
let known: Record<string, unknown>;
let card: { id: string; ref: string };

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({
    'src/money.ts': 'export const round = (n: number) => n;\n',
    'src/other.ts': 'export const other = 1;\n',
    'lessons/billing/rounding.md':
      '---\ntype: gotcha\nanchors:\n  - src/money.ts\n---\n# Rounding\n\nRound half up.\n',
  });
  const make = async <T>(path: string, body: object) => (await code.call<T>('POST', path, body)).body;
  const board = await make<{ board_id: string }>('/api/v1/board/boards', { name: 'Tools' });
  const tasks = `/api/v1/board/boards/${board.board_id}/tasks`;
  card = await make(tasks, { title: 'The card', project_id: project.id });
  const other = await make<{ id: string }>(tasks, { title: 'Another' });
  const memory = await make<{ id: string }>('/api/v1/memory/memories', {
    agent_id: 'scout',
    kind: 'fact',
    title: 'Tea is at four',
    body: 'Every day.',
  });
  known = {
    board_id: board.board_id,
    board_ids: board.board_id,
    task_id: card.ref,
    parent_id: other.id,
    before: other.id,
    after: other.id,
    blocked_by: [other.id],
    project_id: project.id,
    memory_id: memory.id,
    agent_id: 'scout',
    agent: 'any',
    assignee_agent_id: 'scout',
    assignee: 'me',
    board_type: 'build',
    column: 'In Progress',
    column_names: 'In Progress',
    kind: 'fact',
    kinds: 'fact',
    status: 'pending',
    task_type: 'coding',
    with: 'priority',
    due_at: '2026-12-01T00:00:00Z',
    due_before: '2026-12-01T00:00:00Z',
    since: '2026-01-01T00:00:00Z',
    paths: ['src/money.ts'],
    anchor: 'src/money.ts',
    coder: 'claude',
    profile: 'claude.coding',
    words: 'rename a board',
    query: 'tea',
    base_branch: 'main',
    pr_url: 'https://git.example/team/app/pull/1',
    return: 'receipt',
  };
  const { body: answer } = await ask('tools/list', {});
  const body = jsonOf(answer);
  listed = body;
  tools = (JSON.parse(body) as { result: { tools: Tool[] } }).result.tools;
  const openapi = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  operations = new Set([...openapi.matchAll(/"operationId": ?"([a-z0-9_]+)"/g)].map(([, name]) => name!));
  fields = new Set([...openapi.matchAll(/"([a-z][a-z0-9_]*)"/g)].map(([, name]) => name!));
});
afterAll(() => code?.stop());

const ask = (method: string, params: object) =>
  code.world.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      ...code.workspace.bearer,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  });

/** Removes the event stream framing. */
const jsonOf = (body: string) => body.slice(body.indexOf('{')).trim();

async function use(name: string, args: object): Promise<{ text: string; isError: boolean }> {
  const { body } = await ask('tools/call', { name, arguments: args });
  const { result } = JSON.parse(jsonOf(body)) as {
    result: { content: { text: string }[]; isError?: boolean };
  };
  return { text: result.content[0]!.text, isError: result.isError === true };
}

function sample(name: string, schema: Schema): unknown {
  // `kinds` means kinds of memories in one tool and kinds of links between code in another.
  if (name === 'kinds' && schema.type === 'array') return ['import'];
  if (schema.enum && !schema.enum.includes(known[name])) return schema.enum[0];
  if (name in known) return known[name];
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample('', schema.anyOf[0]!);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return {};
  return 'text';
}

const directTools = () => tools.filter(({ name }) => operations.has(name));

describe('Advertised arguments of a tool', () => {
  it('every advertised argument is accepted by its tool', async () => {
    const refused: string[] = [];
    for (const { name, inputSchema } of directTools()) {
      const required = Object.fromEntries(
        (inputSchema.required ?? []).map((field) => [field, sample(field, inputSchema.properties[field]!)]),
      );
      const needs =
        name === 'search_lessons'
          ? { anchor: 'src/money.ts' }
          : name === 'recall_memories'
            ? { query: 'tea' }
            : name === 'find_lessons_near'
              ? { paths: ['src/money.ts'] }
              : {};
      for (const [field, schema] of Object.entries(inputSchema.properties)) {
        if (['cursor', 'node_ids', 'workstation_id', 'continues', 'build_id'].includes(field)) continue;
        const { text, isError } = await use(name, { ...needs, ...required, [field]: sample(field, schema) });
        if (isError && !MATTERS_OF_STATE.test(text)) refused.push(`${name} ${field}: ${text}`);
      }
    }
    expect(refused).toEqual([]);
  });

  it('every argument has a description for its use in a tool', () => {
    for (const { name, inputSchema } of tools) {
      expect(inputSchema.properties, name).not.toHaveProperty('format');
      for (const [field, { description }] of Object.entries(inputSchema.properties)) {
        expect(description, `${name} ${field}`).toMatch(/\S/);
        expect(description, `${name} ${field}`).not.toMatch(/ignored|query string|here or there/i);
      }
    }
    const taking = tools.find(({ name }) => name === 'update_task')!;
    expect(taking.inputSchema.properties).toHaveProperty('assignee_agent_id');
  });
});

describe('Tool descriptions', () => {
  const texts = () =>
    tools.flatMap(({ name, description, inputSchema }) => [
      { of: name, text: description },
      ...Object.entries(inputSchema.properties).map(([field, schema]) => ({
        of: `${name} ${field}`,
        text: schema.description ?? '',
      })),
    ]);

  it('descriptions mention no HTTP header', () => {
    for (const { of, text } of texts())
      expect(text, of).not.toMatch(/\bheader\b|If-(?:None-)?Match|ETag|\bX-[A-Z]/i);
  });

  it('descriptions mention only existing tools, operations, arguments and fields', () => {
    const own = new Set(
      tools.flatMap(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties)]),
    );
    const strange = texts().flatMap(({ of, text }) =>
      [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)]
        .map(([word]) => word)
        .filter((word) => !own.has(word) && !operations.has(word) && !fields.has(word))
        .map((word) => `${of}: ${word}`),
    );
    expect(strange).toEqual([]);
  });

  it('all tools together take less than 6,000 tokens', () => {
    expect(listed.length / 4).toBeLessThan(MOST_TOKENS);
  });
});

describe('task_id', () => {
  it('every tool accepts a card ref as task_id', async () => {
    for (const [name, args] of [
      ['get_task', {}],
      ['list_comments', {}],
      ['add_comment', { body: 'By its ref.' }],
      ['update_task', { assignee_agent_id: 'scout' }],
      ['read_operation', { name: 'list_builds', arguments: { task_id: card.ref.toLowerCase() } }],
    ] as const) {
      const ref = name === 'get_task' ? card.ref.toLowerCase() : card.ref;
      const answer = await use(name, name === 'read_operation' ? args : { task_id: ref, ...args });
      expect(answer, `${name}: ${answer.text}`).toMatchObject({ isError: false });
    }
    expect((await use('get_task', { task_id: card.ref })).text).toContain(card.id);
    expect(await use('get_task', { task_id: card.ref.replace(/\d+$/, '999') })).toEqual({
      text: 'Card not found',
      isError: true,
    });
  });
});

describe('Names instead of ids', () => {
  it('card refs are accepted in a batch', async () => {
    const tasks = [{ task_id: card.ref, set: { priority: 'high' } }];
    const answer = await use('write_operation', { name: 'update_tasks', arguments: { tasks } });
    expect(answer).toMatchObject({ isError: false });
    expect(answer.text).toContain(card.id);
  });

  it('board keys are accepted, singly and in lists', async () => {
    const [key] = card.ref.split('-');
    for (const [name, args] of [
      ['list_board_tasks', { board_id: key }],
      ['find_tasks', { board_ids: [key!.toLowerCase()] }],
      ['read_operation', { name: 'get_board', arguments: { board_id: key } }],
      ['create_task', { board_id: key, title: 'By key', parent_id: card.ref }],
    ] as const)
      expect(await use(name, args), name).toMatchObject({ isError: false });
    expect(await use('list_board_tasks', { board_id: 'NOPE' })).toEqual({
      text: 'Board not found',
      isError: true,
    });
  });
});

describe('Search text', () => {
  it('tools accept the search text as query, and under its former name q', async () => {
    const tool = tools.find(({ name }) => name === 'find_tasks')!;
    expect(Object.keys(tool.inputSchema.properties)).toContain('query');
    for (const asked of [{ query: card.ref }, { q: card.ref }])
      expect((await use('find_tasks', asked)).text).toContain(card.id);
    for (const asked of [{ query: card.ref }, { q: card.ref }])
      expect((await use('read_operation', { name: 'search_everything', arguments: asked })).text).toContain(
        card.id,
      );
  });
});

describe('Unknown names', () => {
  it.each([
    ['find_tasks', { status: 'doing' }, /no status doing; there are: pending, in_progress/],
    ['find_tasks', { agent: 'nobody-here' }, /no agent nobody-here.*there are: .*scout/],
    ['search_memories', { agent_id: 'nobody-here' }, /no agent nobody-here.*there are: .*scout/],
    ['recall_memories', { agent_id: 'nobody-here', query: 'tea' }, /no agent nobody-here/],
    ['find_lessons_near', { paths: ['src/mony.ts'] }, /no code at src\/mony\.ts.*src\/money\.ts/],
    ['search_lessons', { anchor: 'src/mony.ts' }, /no code at src\/mony\.ts.*src\/money\.ts/],
  ] as const)('%s %j returns an error that lists the existing names', async (name, args, expected) => {
    const answer = await use(name, {
      ...args,
      ...(name.includes('lessons') && { project_id: project.id }),
    });
    expect(answer.text).toMatch(expected);
    expect(answer.isError).toBe(true);
  });

  it('a search without results is not reported as an unknown name', async () => {
    expect(await use('find_tasks', { status: 'canceled', agent: 'scout' })).toMatchObject({ isError: false });
    expect(await use('search_memories', { agent_id: 'scout', query: 'zebra' })).toMatchObject({
      isError: false,
    });
    expect(
      await use('find_lessons_near', { project_id: project.id, paths: ['src/other.ts'], depth: 0 }),
    ).toMatchObject({ isError: false });
  });
});
