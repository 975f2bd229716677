import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { inlineText } from '../../kernel/markdown.js';
import { type BoardCaller, boardCaller, MISSING } from './boards.test-support.js';
import { type FieldName, namesAt } from './cards/card-fields.js';
import { renderBody } from './cards/export-markdown.js';

let world: World;
let ours: BoardCaller;

beforeAll(async () => {
  world = await startTestApp();
  ours = boardCaller(world, (await world.workspace()).bearer);
});
afterAll(() => world.stop());

const exported = (boardId: string, query = '', headers = {}) =>
  ours.get(`/boards/${boardId}/export${query}`, headers);
const headings = (markdown: string) => markdown.split('\n').filter((line) => /^ {0,3}#/.test(line));
const items = (markdown: string) => markdown.split('\n').filter((line) => line.startsWith('- '));
const LIMIT = 1_048_576;

describe('GET /api/v1/board/boards/{board_id}/export', () => {
  it('returns text/markdown with a heading per column in board order and a list of cards', async () => {
    const board = await ours.board({ name: 'Plain' });
    const done = await ours.card(board.board_id, { title: 'Last', column: 'Done' });
    const first = await ours.card(board.board_id, { title: 'First' });
    const response = await exported(board.board_id);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(headings(response.body)).toEqual([
      '# Plain (PLA)',
      '## Backlog',
      '## In Progress',
      '## Review',
      '## Blocked',
      '## Done',
    ]);
    expect(items(response.body)).toEqual([`- **${first.ref}** First`, `- **${done.ref}** Last`]);
  });

  it.each([
    ['?detail=summary', namesAt('summary') as FieldName[]],
    ['', namesAt('standard') as FieldName[]],
    ['?detail=standard', namesAt('standard') as FieldName[]],
    ['?detail=full', namesAt('full')],
  ])('returns the fields of the level %s', async (query, fields) => {
    const board = await ours.board();
    await ours.card(board.board_id, { instructions: 'Long text' });
    const { body } = await exported(board.board_id, query);
    const shown = [...body.matchAll(/^ {2}- (\w+):/gm)].map(([, field]) => field);
    expect(shown).toEqual(fields.filter((field) => field !== 'ref' && field !== 'title'));
    expect(body.includes('    Long text')).toBe(query === '?detail=full');
  });

  it('is byte-stable for a given board state, with an ETag that gives 304', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id, { agent_context: { z: 1, a: { y: 2, b: 3 } } });
    const first = await exported(board.board_id);
    const second = await exported(board.board_id);
    expect(second.body).toBe(first.body);
    const etag = String(first.headers['etag']);
    expect(second.headers['etag']).toBe(etag);
    const unchanged = await exported(board.board_id, '', { 'if-none-match': etag });
    expect(unchanged.statusCode).toBe(304);
    expect(unchanged.body).toBe('');
    await ours.patch(`/tasks/${card.id}`, { title: 'Other' });
    expect((await exported(board.board_id, '', { 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('exports the columns in columns=, matched trimmed and case-insensitively, and nothing without a match', async () => {
    const board = await ours.board({ name: 'Parts' });
    await ours.card(board.board_id, { title: 'Kept', column: 'Review' });
    await ours.card(board.board_id, { title: 'Dropped' });
    const { body } = await exported(board.board_id, '?columns=%20REVIEW%20,done');
    expect(headings(body).slice(1)).toEqual(['## Review', '## Done']);
    expect(items(body)).toHaveLength(1);
    expect(body).not.toContain('Dropped');
    expect(headings((await exported(board.board_id, '?columns=Nowhere')).body)).toHaveLength(1);
  });

  it('returns 413 above 1 MiB at every level except summary, with the exact body', async () => {
    const board = await ours.board();
    for (const column of ['Backlog', 'Backlog', 'Review', 'Done']) {
      await ours.card(board.board_id, { column, instructions: 'x\n'.repeat(200_000) });
    }
    const response = await exported(board.board_id, '?detail=full');
    expect(response.statusCode).toBe(413);
    expect(response.json()).toEqual({
      detail: {
        error: 'markdown_export_too_large',
        message: expect.any(String),
        actual_bytes: expect.any(Number),
        limit_bytes: LIMIT,
        detail_level: 'full',
        retry_with: { detail: 'summary' },
      },
    });
    expect((await exported(board.board_id, '?detail=full')).body).toBe(response.body);
    expect((await exported(board.board_id, '?detail=summary')).statusCode).toBe(200);
    expect((await exported(board.board_id)).statusCode).toBe(200);
  });

  it('reports the true size, and accepts exactly 1 MiB', async () => {
    const board = await ours.board();
    const card = await ours.card(board.board_id, { instructions: 'x' });
    await ours.card(board.board_id, { column: 'Done' });
    const size = Buffer.byteLength((await exported(board.board_id, '?detail=full')).body);
    const fill = (bytes: number) =>
      ours.patch(`/tasks/${card.id}?return=receipt`, { instructions: 'x'.repeat(bytes) });
    // The export also shows the excerpt of the instructions, so the test compares two sizes that exceed it.
    await fill(200);
    const filled = Buffer.byteLength((await exported(board.board_id, '?detail=full')).body);
    expect(filled).toBeGreaterThan(size);
    await fill(200 + LIMIT - filled);
    const exact = await exported(board.board_id, '?detail=full');
    expect([exact.statusCode, Buffer.byteLength(exact.body)]).toEqual([200, LIMIT]);
    await fill(201 + LIMIT - filled);
    expect((await exported(board.board_id, '?detail=full')).json().detail.actual_bytes).toBe(LIMIT + 1);
  });

  it('counts bytes beyond the limit at standard, and names that level', async () => {
    const board = await ours.board();
    const error_message = 'é'.repeat(20_000);
    for (let i = 0; i < 30; i++) await ours.card(board.board_id, { error_message });
    const { detail } = (await exported(board.board_id)).json();
    expect(detail.detail_level).toBe('standard');
    expect(detail.actual_bytes).toBeGreaterThan(30 * 40_000);
    expect((await exported(board.board_id, '?columns=Done')).statusCode).toBe(200);
  });

  it("returns 400 for another detail, 404 without a board and 403 for another workspace's", async () => {
    const board = await ours.board();
    const foreign = await boardCaller(world, (await world.workspace()).bearer).board();
    expect((await exported(board.board_id, '?detail=all')).statusCode).toBe(400);
    expect((await exported(MISSING)).statusCode).toBe(404);
    expect((await exported(foreign.board_id)).statusCode).toBe(403);
  });

  it('keeps titles, names and bodies from creating structure', async () => {
    const hostile = [
      '# Heading',
      '\n\n## Heading\n\n- item',
      'a\r# b\u2028# c\u0085# d\v# e\f# f',
      '```\n# out\n```\n~~~\n# out\n~~~',
      '</li></ul><h1>x</h1>',
      '| a | b |\n|---|---|',
      'Title\n===\n---',
      '[link](https://x.example) ![i](y) *b* __b__ ~~s~~ <b> &lt;b&gt;',
    ];
    const board = await ours.board({
      name: '# Not *this*\n## nor this',
      columns: [{ name: '## Col\n- x', status: 'pending' }],
    });
    for (const text of hostile) {
      await ours.card(board.board_id, {
        title: text,
        instructions: text,
        result: `\t${text}`,
        labels: [text],
        error_message: text,
      });
    }
    for (const detail of ['summary', 'standard', 'full']) {
      const { body } = await exported(board.board_id, `?detail=${detail}`);
      const lines = body.split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/);
      expect(lines.filter((line) => /^ {0,3}#/.test(line))).toHaveLength(2);
      expect(lines.filter((line) => line.startsWith('- '))).toHaveLength(hostile.length);
      // The renderer writes only these lines: a heading, an item, a field, a body line or a blank one.
      expect(lines.filter((line) => !/^(#{1,2} .*|- \*\*.*| {2}- \w+:.*| {4}.*|)$/.test(line))).toEqual([]);
    }
  });
});

describe('Text in an export', () => {
  it('keeps ordinary words unchanged', () => {
    for (const text of [
      'Fix the login-page (v1.2), part #3!',
      'snake_case and R&D',
      'in_progress',
      'feat/a_b-c',
    ]) {
      expect(inlineText(text)).toBe(text);
    }
  });

  it('escapes Markdown syntax', () => {
    expect(inlineText('*a* `b` [c](d) <e> __f__ &amp; ~g~ \\')).toBe(
      '\\*a\\* \\`b\\` \\[c\\](d) \\<e> \\_\\_f\\_\\_ \\&amp; \\~g\\~ \\\\',
    );
  });

  it('puts bodies into a fence that is longer than any fence in them', () => {
    const lines = renderBody('result', 'a\n````\nb').split('\n');
    expect(lines[2]).toBe('    `````text');
    expect(lines.at(-2)).toBe('    `````');
  });
});
