import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReviewRoom, type ReviewRoom } from '../../../../tests/support/review-room.js';
import type { FileView } from './commits.schemas.js';

let { world, room, succeed } = {} as ReviewRoom;
let buildId: string;

const LONG = Array.from({ length: 1200 }, (_, at) => `line ${at + 1}`);

beforeAll(async () => {
  ({ world, room, succeed } = await openReviewRoom());
  room.repository.save({ 'long.txt': LONG.join('\n'), 'src/kept.ts': 'kept\n' });
  ({ buildId } = await succeed({
    files: {
      'long.txt': ['first', ...LONG].join('\n'),
      'wide.txt': `${'x'.repeat(3000)}\n`.repeat(400),
      'minified.js': 'y'.repeat(10_000),
      'windows.txt': 'a\r\nb\r\n',
      'picture.png': 'a\0b\n',
      'large.csv': '0123456789abcdef\n'.repeat(330_000),
    },
  }));
});

afterAll(() => world.stop());

const read = (query: Record<string, string | number>, of = buildId, headers?: Record<string, string>) =>
  room.call<FileView & { detail: string }>(
    'GET',
    `/api/v1/factory/builds/${of}/file?${new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))}`,
    undefined,
    headers,
  );

describe('GET /api/v1/factory/builds/{build_id}/file', () => {
  it('returns lines of a file as the build left it or as the base has it', async () => {
    const now = await read({ path: 'long.txt', from: 3, to: 4 });
    expect(now).toMatchObject({
      status: 200,
      body: { path: 'long.txt', side: 'new', from: 3, total: 1201, lines: ['line 2', 'line 3'] },
    });
    const before = await read({ path: 'long.txt', side: 'old', from: 1199, to: 1300 });
    expect(before.body).toMatchObject({ total: 1200, lines: ['line 1199', 'line 1200'] });
    expect((await read({ path: 'src/kept.ts' })).body).toMatchObject({ from: 1, total: 1, lines: ['kept'] });
    expect((await read({ path: 'windows.txt' })).body.lines).toEqual(['a\r', 'b\r']);
  });

  it('returns at most 500 lines and 256 KiB', async () => {
    const many = (await read({ path: 'long.txt', from: 1, to: 1201 })).body;
    expect(many.lines).toHaveLength(500);
    expect((await read({ path: 'long.txt', from: 501 })).body.lines[0]).toBe('line 500');
    const wide = (await read({ path: 'wide.txt' })).body;
    expect(wide.lines).toHaveLength(Math.floor((256 * 1024) / 3000));
    expect(wide.total).toBe(400);
    expect((await read({ path: 'minified.js' })).body.lines[0]).toHaveLength(4000);
    expect((await read({ path: 'long.txt', from: 5000 })).body).toMatchObject({ total: 1201, lines: [] });
  });

  it('refuses a large file, a binary file and an invalid range with a clear message', async () => {
    expect(await read({ path: 'large.csv' })).toMatchObject({
      status: 413,
      body: { detail: 'The file has 5610000 bytes; lines are read of files of at most 5242880' },
    });
    expect(await read({ path: 'picture.png' })).toMatchObject({
      status: 422,
      body: { detail: 'A binary file has no lines to read' },
    });
    expect(await read({ path: 'long.txt', from: 9, to: 8 })).toMatchObject({
      status: 422,
      body: { detail: 'to must not be less than from' },
    });
    expect((await read({ path: 'long.txt', from: 0 })).status).toBe(422);
  });

  it('returns 404 for an unknown file, a path outside, a build without commits and another workspace', async () => {
    for (const path of ['nothing.md', 'src', '../long.txt', '/etc/passwd', 'src/../long.txt'])
      expect((await read({ path })).status).toBe(404);
    const { build_id } = await room.build((await room.card()).id);
    expect((await read({ path: 'long.txt' }, build_id)).status).toBe(404);
    const stranger = await world.furnish();
    expect((await read({ path: 'long.txt' }, buildId, stranger.space.bearer)).status).toBe(404);
  });
});
