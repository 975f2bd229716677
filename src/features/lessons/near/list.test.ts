import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, lesson, type Project } from '../../../../tests/support/code-world.js';
import { anchors } from '../../../../tests/support/lesson-caller.js';
import type { ListAnswer } from '../lessons.schemas.js';

let code: CodeWorld;
let project: Project;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({
    'a.ts': 'export function f() {}\n',
    'gone.ts': '',
    'lessons/pay/retry.md': lesson('anchors: [a.ts]\ntitle: Retry\nauthor: Ada', 'Only what is idempotent.'),
    'lessons/pay/limits.md': anchors('gone.ts'),
    'lessons/mail/bounce.md': anchors('a.ts#f').replace('rule', 'gotcha'),
    'lessons/mail/old.md': lesson('status: retired'),
    'lessons/mail/older.md': lesson('superseded_by: mail/bounce'),
    'lessons/zebra/unanchored.md': lesson('pinned: true'),
  });
  project.repository.remove('gone.ts').commit();
  await project.index();
});
afterAll(() => code.stop());

const list = (query = '') =>
  code.call<ListAnswer & { detail: string }>(
    'GET',
    `/api/v1/memory/entries?project_id=${project.id}&${query}`,
  );
const ids = async (query = '') => (await list(query)).body.items.map(({ id }) => id);

describe('GET /api/v1/memory/entries', () => {
  it('lists the project’s lessons by id, marks stale ones, and omits retired and superseded ones', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.items.map(({ id, stale }) => [id, stale])).toEqual([
      ['mail/bounce', false],
      ['pay/limits', true],
      ['pay/retry', false],
      ['zebra/unanchored', false],
    ]);
    expect(body).toMatchObject({ total: 4, next_cursor: null });
    expect(body.items[2]).toEqual({
      id: 'pay/retry',
      path: 'lessons/pay/retry.md',
      type: 'rule',
      body: 'Only what is idempotent.',
      pinned: false,
      stale: false,
      stale_reason: null,
      anchors: ['a.ts'],
      title: 'Retry',
      author: 'Ada',
      card: null,
      scope: null,
      status: 'live',
      superseded_by: null,
      project_id: project.id,
      moves: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it('filters by path prefix, type and staleness', async () => {
    expect(await ids('prefix=lessons/pay/')).toEqual(['pay/limits', 'pay/retry']);
    expect(await ids('prefix=lessons/pay/retry.md')).toEqual(['pay/retry']);
    expect(await ids('prefix=pay')).toEqual([]);
    expect(await ids('prefix=lessons/%25')).toEqual([]);
    expect(await ids('type=gotcha')).toEqual(['mail/bounce']);
    expect(await ids('stale=true')).toEqual(['pay/limits']);
    expect(await ids('stale=false&type=rule')).toEqual(['pay/retry', 'zebra/unanchored']);
  });

  it('pages by cursor, returns each lesson once, and counts the total before limit', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page++) {
      const { body }: { body: ListAnswer } = await list(`limit=3${cursor && `&cursor=${cursor}`}`);
      expect(body.total).toBe(4);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.next_cursor;
      expect(page).toBeLessThan(2);
    }
    expect(seen).toEqual(['mail/bounce', 'pay/limits', 'pay/retry', 'zebra/unanchored']);
    expect((await list('limit=4')).body.next_cursor).toBeNull();
  });

  it('422 without a project or with a limit outside 1 to 200, and 400 for a cursor of another list', async () => {
    const status = async (url: string) => (await code.call('GET', `/api/v1/memory/entries${url}`)).status;
    expect(await status('')).toBe(422);
    expect(await status('?project_id=x')).toBe(422);
    const other = await code.project({ 'lessons/o/one.md': lesson(''), 'lessons/o/two.md': lesson('') });
    const foreign = await code.call<ListAnswer>(
      'GET',
      `/api/v1/memory/entries?project_id=${other.id}&limit=1`,
    );
    for (const query of ['limit=0', 'limit=201', 'stale=maybe', 'prefix=%00'])
      expect((await list(query)).status, query).toBe(422);
    for (const cursor of ['', 'x', foreign.body.next_cursor])
      expect((await list(`cursor=${cursor}`)).status, String(cursor)).toBe(400);
    expect((await list('limit=200')).status).toBe(200);
  });

  it('404 for a project of another workspace and 403 without memory:read', async () => {
    const other = await code.another();
    expect((await other.call('GET', `/api/v1/memory/entries?project_id=${project.id}`)).status).toBe(404);
    const token = await code.world.token(code.workspace.brand, code.workspace.admin, ['code:read']);
    const headers = { authorization: `Bearer ${token}` };
    const url = `/api/v1/memory/entries?project_id=${project.id}`;
    expect((await code.call('GET', url, undefined, headers)).status).toBe(403);
  });
});
