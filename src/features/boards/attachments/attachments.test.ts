import { access, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { writeFiles } from '../../builds/brief/brief-sections.js';
import { type ActivityEntry, type Attachment, type Board, LARGEST_ATTACHMENT } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, type Headers, MISSING } from '../boards.test-support.js';
import type { FullCard } from '../cards/cards.schemas.js';

let world: World;
let workspace: Awaited<ReturnType<World['workspace']>>;
let strangers: Awaited<ReturnType<World['workspace']>>;
let ours: BoardCaller;
let member: { person: TestPerson; bearer: Headers };
let board: Board;
let card: FullCard;
let png: Buffer;

beforeAll(async () => {
  world = await startTestApp();
  workspace = await world.workspace();
  strangers = await world.workspace();
  ours = boardCaller(world, workspace.bearer);
  const person = await world.member(workspace.brand);
  member = { person, bearer: { authorization: `Bearer ${await world.token(workspace.brand, person)}` } };
  board = await ours.board();
  png = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
  await world.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  card = await ours.card(board.board_id);
});

const images = (...parts: string[]) => join(world.config.dataDir, 'images', ...parts);
const filesOf = (brandId: number) => readdir(images('attachments', String(brandId))).catch(() => []);
const spooled = () => readdir(join(world.config.dataDir, 'spool')).catch(() => []);
const pathOf = (cardId = card.id) => `/api/v1/board/tasks/${cardId}/attachments`;

function form(bytes: Buffer, name: string, field = 'file'): Buffer {
  const head = `--edge\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/html\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--edge--\r\n')]);
}

const send = (payload: Buffer, headers: Headers = {}, url = pathOf()) =>
  world.inject({
    method: 'POST',
    url,
    headers: {
      ...(!('cookie' in headers) && workspace.bearer),
      'content-type': 'multipart/form-data; boundary=edge',
      ...headers,
    },
    payload,
  });

const attach = (bytes: Buffer | string, name = 'notes.txt', headers?: Headers, url?: string) =>
  send(form(Buffer.from(bytes as string), name), headers, url);

async function attached(...given: Parameters<typeof attach>): Promise<Attachment> {
  const response = await attach(...given);
  if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`);
  return response.json();
}

const read = (url: string, headers: Headers = workspace.bearer) => world.inject({ url, headers });
const remove = ({ url }: Attachment, headers: Headers = workspace.bearer) =>
  world.inject({ method: 'DELETE', url, headers });
const listed = async (): Promise<Attachment[]> => (await read(pathOf())).json().attachments;
const countOf = async (cardId = card.id): Promise<number> =>
  (await ours.get(`/tasks/${cardId}`)).json().attachment_count;
const newest = async (): Promise<ActivityEntry> =>
  (await ours.get(`/activity/boards/${board.board_id}?limit=1`)).json().items[0];
const sweep = () => world.app.jobs.runNow('attachment-sweep');
const leftovers = async () =>
  (await sql<{ file_key: string }>`select file_key from leftover_files`.execute(world.db)).rows.length;
const usedBytes = async () =>
  (
    await sql<{
      bytes: string;
    }>`select bytes from attachment_tallies where brand_id = ${workspace.brand.brand_id}`.execute(world.db)
  ).rows[0]?.bytes;

describe('POST /api/v1/board/tasks/{task_id}/attachments', () => {
  it("returns 201 with the attachment, updates the card's count and notifies the board's followers", async () => {
    const attachment = await attached('Some notes', 'notes.txt');
    expect(attachment).toEqual({
      id: attachment.id,
      task_id: card.id,
      comment_id: null,
      name: 'notes.txt',
      content_type: 'text/plain; charset=utf-8',
      bytes: 10,
      url: `${pathOf()}/${attachment.id}`,
      thumbnail_url: null,
      author: { user_id: workspace.admin.user_id, name: workspace.admin.full_name, agent_id: null },
      created_at: attachment.created_at,
    });
    const second = await attached(png, 'plan.png');
    expect((await read(pathOf())).json()).toEqual({ attachments: [attachment, second], total: 2 });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toMatchObject({ attachment_count: 2, version: 1 });
    expect(await newest()).toMatchObject({
      action: 'task.updated',
      task_id: card.id,
      changes: { attachment: { from: null, to: 'plan.png' } },
    });
    expect(await spooled()).toEqual([]);
  });

  it('accepts exactly 25 MiB, and refuses one byte more', async () => {
    const most = Buffer.alloc(LARGEST_ATTACHMENT, 'all work and no play\n');
    const { url, bytes } = await attached(most, 'most.txt');
    expect(bytes).toBe(26_214_400);
    expect((await read(url)).rawPayload.equals(most)).toBe(true);
    const one = await send(form(Buffer.concat([most, Buffer.from('!')]), 'more.txt'));
    expect([one.statusCode, one.json()]).toEqual([413, { detail: 'The file is larger than 25 MiB' }]);
    const far = await send(form(Buffer.alloc(LARGEST_ATTACHMENT + 6_000_000), 'far.txt'));
    expect([far.statusCode, far.json()]).toEqual([413, { detail: 'The file is larger than 25 MiB' }]);
    expect(await countOf()).toBe(1);
    expect(await spooled()).toEqual([]);
  });

  it('refuses an empty file, a form without a file, and a body that is not a form', async () => {
    const empty = await attach('');
    expect([empty.statusCode, empty.json()]).toEqual([422, { detail: 'The file is empty' }]);
    const other = await send(form(png, 'a.png', 'picture'));
    expect([other.statusCode, other.json()]).toEqual([422, { detail: 'file is required' }]);
    const cut = await send(form(png, 'a.png').subarray(0, 300));
    expect([cut.statusCode, cut.json()]).toEqual([422, { detail: 'The multipart body is not valid' }]);
    expect((await send(Buffer.from('{}'), { 'content-type': 'application/json' })).statusCode).toBe(415);
    expect(await countOf()).toBe(0);
    expect(await spooled()).toEqual([]);
  });

  it('strips folders, line breaks and misleading characters from the name', async () => {
    const { name, url } = await attached('x', '../../etc/pass\u202ewd é.txt');
    expect(name).toBe('passwd é.txt');
    expect((await read(url)).headers['content-disposition']).toBe(
      'attachment; filename="passwd _.txt"; filename*=UTF-8\'\'passwd%20%C3%A9.txt',
    );
    expect((await attached('x', `${'n'.repeat(300)}.md`)).name).toBe(`${'n'.repeat(197)}.md`);
  });

  it.each([
    ['a page called .png', 'x.png', '<!doctype html><script>alert(1)</script>'],
    ['a drawing with a script', 'x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'],
    ['a PDF', 'x.pdf', '%PDF-1.7\n%\xe2\xe3\xcf\xd3'],
  ])('serves %s as a download only', async (_, name, text) => {
    const { url, thumbnail_url } = await attached(Buffer.from(text, 'latin1'), name);
    const { headers } = await read(url);
    expect(thumbnail_url).toBeNull();
    expect(headers['content-disposition']).toMatch(/^attachment; /);
    expect(headers['content-type']).toMatch(/^(text\/plain; charset=utf-8|application\/pdf)$/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toMatch(/default-src 'none';.*sandbox/);
  });

  it('serves a picture inline and creates a thumbnail', async () => {
    const { url, thumbnail_url, content_type } = await attached(png, 'plan.exe');
    const whole = await read(url);
    expect([content_type, whole.headers['content-type']]).toEqual(['image/png', 'image/png']);
    expect(whole.headers['content-disposition']).toMatch(/^inline; /);
    expect(whole.headers['content-length']).toBe(String(png.length));
    expect(whole.rawPayload.equals(png)).toBe(true);
    const small = await read(thumbnail_url!);
    expect(small.headers['content-type']).toBe('image/webp');
    expect(await sharp(small.rawPayload).metadata()).toMatchObject({ width: 480, height: 320 });
  });

  it('accepts a picture that cannot be decoded, without a thumbnail', async () => {
    const bomb = Buffer.from(png);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    for (const bytes of [bomb, png.subarray(0, 80)]) {
      const { thumbnail_url, url } = await attached(bytes, 'bomb.png');
      expect(thumbnail_url).toBeNull();
      const small = await read(`${url}?size=thumb`);
      expect([small.statusCode, small.json().detail]).toEqual([
        404,
        'The picture has no thumbnail: it is damaged, or larger than 100 megapixels',
      ]);
      expect((await read(url)).rawPayload.equals(bytes)).toBe(true);
    }
  });

  it('creates a thumbnail for pictures up to 81 megapixels, and AVIF up to 25 megapixels', async () => {
    const square = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: '#336699' } });
    const { thumbnail_url } = await attached(await square(9000).jpeg().toBuffer(), 'large.jpg');
    expect((await read(thumbnail_url!)).headers['content-type']).toBe('image/webp');
    const { url, ...large } = await attached(await square(5001).avif({ effort: 0 }).toBuffer(), 'large.avif');
    expect(large.thumbnail_url).toBeNull();
    expect((await read(`${url}?size=thumb`)).json().detail).toContain('larger than 25 megapixels');
  });

  it('creates one attachment per Idempotency-Key, and refuses another file under the same key', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await attach('same', 'a.txt', key);
    const again = await attach('same', 'a.txt', key);
    expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([
      201,
      201,
      'true',
    ]);
    expect(again.json()).toEqual(first.json());
    expect((await attach('other', 'a.txt', key)).statusCode).toBe(422);
    expect(await countOf()).toBe(1);
  });

  it('attaches to a comment for its author only, and is deleted with the comment', async () => {
    const { id } = await ours.comment(card.id);
    const url = `${pathOf()}?comment_id=${id}`;
    expect((await attached(png, 'a.png', {}, url)).comment_id).toBe(id);
    await attached('stays');
    const others = await attach(png, 'b.png', member.bearer, url);
    expect([others.statusCode, others.json()]).toEqual([
      403,
      { detail: 'Only its author may attach a file to a comment' },
    ]);
    expect((await attach(png, 'b.png', {}, `${pathOf()}?comment_id=${MISSING}`)).statusCode).toBe(404);
    expect((await attach(png, 'b.png', {}, `${pathOf()}?comment_id=x`)).statusCode).toBe(422);
    await ours.call('DELETE', `/tasks/${card.id}/comments/${id}`);
    expect([(await listed()).map(({ name }) => name), await countOf()]).toEqual([['notes.txt'], 1]);
  });

  it('returns 409 beyond 100 attachments on a card, even for simultaneous uploads', async () => {
    const { id } = await attached('first');
    await sql`
      insert into card_attachments select gen_random_uuid(), brand_id, card_id, comment_id, name, content_type, bytes,
        has_thumbnail, author_user_id, author_agent_id, by_guest, created_at
      from card_attachments, generate_series(1, 98) where attachment_id = ${id}`.execute(world.db);
    await sql`update cards set attachment_count = 99 where card_id = ${card.id}`.execute(world.db);
    const two = await Promise.all([attach('x'), attach('y')]);
    expect(two.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
    expect((await attach('z')).json()).toEqual({
      detail: 'The card has 100 attachments, which is the most a card can have; delete one first',
    });
    expect(await countOf()).toBe(100);
  });

  it("returns 403 beyond the plan's storage limit, even for simultaneous uploads", async () => {
    const small = await world.workspace({ plan: 'free' });
    const caller = boardCaller(world, small.bearer);
    const there = await caller.card((await caller.board()).board_id);
    const url = pathOf(there.id);
    await attached('12345', 'a.txt', small.bearer, url);
    await sql`update attachment_tallies set bytes = ${1024 ** 3 - 5} where brand_id = ${small.brand.brand_id}`.execute(
      world.db,
    );
    const two = await Promise.all(['54321', '67890'].map((text) => attach(text, 'b.txt', small.bearer, url)));
    expect(two.map(({ statusCode }) => statusCode).sort()).toEqual([201, 403]);
    const { detail } = (await attach('x', 'c.txt', small.bearer, url)).json();
    expect(detail).toMatchObject({ error: 'quota_exceeded', limit: 1024 ** 3, current: 1024 ** 3 });
  });
});

describe('An incomplete upload', () => {
  const headers = () => ({
    ...workspace.bearer,
    'content-type': 'multipart/form-data; boundary=edge',
    'content-length': '5000000',
  });
  const begin = () =>
    httpRequest({
      port: (world.server.server.address() as AddressInfo).port,
      method: 'POST',
      path: pathOf(),
      headers: headers(),
    });

  it('leaves nothing behind when the sender disconnects', async () => {
    const request = begin().on('error', () => {});
    request.write(form(Buffer.alloc(200_000), 'half.bin').subarray(0, 150_000));
    await expect.poll(async () => (await spooled()).length).toBe(1);
    request.destroy();
    await expect.poll(spooled).toEqual([]);
    expect(await countOf()).toBe(0);
  });

  it('leaves nothing behind when fewer bytes arrive than announced', async () => {
    const request = begin().on('error', () => {});
    request.write(form(Buffer.alloc(1000), 'short.bin'));
    await expect.poll(async () => (await spooled()).length).toBe(1);
    request.destroy();
    await expect.poll(spooled).toEqual([]);
    expect(await countOf()).toBe(0);
  });

  it('is removed from the storage within the hour when no attachment was recorded', async () => {
    const { brand_id } = workspace.brand;
    world.clock.advance(3601);
    await sweep();
    const before = (await filesOf(brand_id)).length;
    const caller = (await world.app.identity.authenticators.pat(
      workspace.bearer.authorization.slice('Bearer '.length),
    ))!;
    const path = join(world.config.dataDir, 'half');
    await writeFile(path, png);
    await world.app.boards.storeFile(
      caller,
      { cardId: card.id, commentId: null },
      { path, name: 'half.png', bytes: png.length, sha256: '', tooLarge: false },
    );
    expect((await filesOf(brand_id)).length).toBe(before + 2);
    expect(await sweep()).toEqual({ processed: 0, failed: 0 });
    world.clock.advance(3601);
    expect(await sweep()).toEqual({ processed: 1, failed: 0 });
    expect((await filesOf(brand_id)).length).toBe(before);
  });
});

describe('GET .../attachments/{attachment_id}', () => {
  it('may only be cached privately, and returns 304 for a matching ETag', async () => {
    const { url, thumbnail_url } = await attached(png, 'a.png');
    for (const address of [url, thumbnail_url!]) {
      const { headers } = await read(address);
      expect(headers['cache-control']).toBe('private, no-cache');
      const again = { ...workspace.bearer, 'if-none-match': String(headers['etag']) };
      expect((await read(address, again)).statusCode).toBe(304);
    }
    expect((await read(url)).headers['etag']).not.toBe((await read(thumbnail_url!)).headers['etag']);
  });

  it('returns a text in full, compressed or not', async () => {
    const text = 'a line of text\n'.repeat(1000);
    const { url } = await attached(text);
    expect((await read(url)).body).toBe(text);
    const packed = await read(url, { ...workspace.bearer, 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(text);
  });
});

describe('Permissions on attachments', () => {
  const guestAt = async (role: string) => {
    const person = await world.person();
    await ours.call('PUT', `/boards/${board.board_id}/guests/${person.user_id}`, { role });
    return { cookie: await world.signIn(person, workspace.brand) };
  };

  it('let members attach and read, and the uploader or an admin delete', async () => {
    const mine = await attached('mine');
    const theirs = await attached('theirs', 'b.txt', member.bearer);
    expect((await read(mine.url, member.bearer)).body).toBe('mine');
    const refused = await remove(mine, member.bearer);
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      { detail: 'Only who attached a file or an admin may delete it' },
    ]);
    expect((await remove(theirs, member.bearer)).statusCode).toBe(204);
    const another = await attached('theirs', 'b.txt', member.bearer);
    expect((await remove(another)).statusCode).toBe(204);
    expect(await newest()).toMatchObject({ changes: { attachment: { from: 'b.txt', to: null } } });
    expect(await countOf()).toBe(1);
    expect((await remove(another)).statusCode).toBe(404);
  });

  it.each([
    ['viewer', 403],
    ['commenter', 201],
    ['editor', 201],
  ])('let a guest who is %s read, and answer an upload with %i', async (role, status) => {
    const guest = await guestAt(role);
    const mine = await attached('mine');
    expect((await read(mine.url, guest)).body).toBe('mine');
    expect((await read(pathOf(), guest)).json().total).toBe(1);
    const sent = await attach('guest', 'g.txt', guest);
    expect(sent.statusCode).toBe(status);
    expect((await remove(mine, guest)).statusCode).toBe(403);
    if (status !== 201) return;
    expect(sent.json().from_guest).toBe(true);
    expect((await remove(sent.json(), guest)).statusCode).toBe(204);
  });

  it('hide attachments from guests of other boards and from other workspaces', async () => {
    const { url } = await attached('secret');
    const other = await ours.board({ name: 'Other' });
    const person = await world.person();
    await ours.call('PUT', `/boards/${other.board_id}/guests/${person.user_id}`, { role: 'editor' });
    const guest = { cookie: await world.signIn(person, workspace.brand) };
    for (const address of [url, pathOf()]) {
      expect((await read(address, guest)).statusCode).toBe(403);
      expect((await read(address, strangers.bearer)).statusCode).toBe(404);
      expect((await read(address, {})).statusCode).toBe(401);
    }
    expect((await attach('x', 'x', strangers.bearer)).statusCode).toBe(404);
    expect((await attach('x', 'x', guest)).statusCode).toBe(403);
  });

  it('return an attachment only under its own card', async () => {
    const { id } = await attached('here');
    const elsewhere = await ours.card(board.board_id);
    expect((await read(`${pathOf(elsewhere.id)}/${id}`)).statusCode).toBe(404);
    expect((await read(`${pathOf()}/${MISSING}`)).statusCode).toBe(404);
    expect((await read(`${pathOf()}/nonsense`)).statusCode).toBe(404);
  });
});

describe('Deleted attachments', () => {
  it('leave no stored file behind, also when their comment, card or board is deleted', async () => {
    const { brand_id } = workspace.brand;
    const there = await ours.board({ name: 'Going' });
    const cards = [await ours.card(there.board_id), await ours.card(there.board_id)];
    await sweep();
    const before = [(await filesOf(brand_id)).length, await usedBytes()];
    const at = (index: number) => pathOf(cards[index]!.id);
    const { id } = await ours.comment(cards[0]!.id);
    const first = await attached(png, 'a.png', {}, at(0));
    await attached(png, 'b.png', {}, `${at(0)}?comment_id=${id}`);
    await attached(png, 'c.png', {}, at(0));
    await attached(png, 'd.png', {}, at(1));
    expect((await filesOf(brand_id)).length).toBe(Number(before[0]) + 8);
    const gone = [
      () => remove(first),
      () => ours.call('DELETE', `/tasks/${cards[0]!.id}/comments/${id}`),
      () => ours.call('DELETE', `/tasks/${cards[0]!.id}`),
      () => ours.call('DELETE', `/boards/${there.board_id}`),
    ];
    for (const go of gone) {
      expect((await go()).statusCode).toBe(204);
      expect(await sweep()).toEqual({ processed: 1, failed: 0 });
    }
    expect([(await filesOf(brand_id)).length, await usedBytes()]).toEqual(before);
    expect(await leftovers()).toBe(0);
    expect((await attach('x', 'x', {}, at(0))).statusCode).toBe(404);
  });

  it('are retried when the storage was unreachable', async () => {
    const attachment = await attached('stuck');
    const file = images('attachments', String(workspace.brand.brand_id), attachment.id);
    await remove(attachment);
    await rename(file, `${file}.aside`);
    await mkdir(file);
    expect(await sweep()).toEqual({ processed: 0, failed: 1 });
    await rm(file, { recursive: true });
    await rename(`${file}.aside`, file);
    expect(await sweep()).toEqual({ processed: 0, failed: 0 });
    world.clock.advance(301);
    expect(await sweep()).toEqual({ processed: 1, failed: 0 });
    await expect(access(file)).rejects.toThrow('ENOENT');
  });
});

describe('Attachments elsewhere', () => {
  const exported = async (detail: string) =>
    (await ours.get(`/boards/${board.board_id}/export?detail=${detail}`)).body;

  it('are links in a board export, except at its lowest detail level', async () => {
    const { url } = await attached('x', 'a](b) # c.txt');
    const line = `  - attachments:\n    - [`;
    expect(await exported('summary')).not.toContain(url);
    for (const detail of ['standard', 'full']) {
      const text = await exported(detail);
      expect(text).toContain(line);
      expect(text).toContain(`](${url})\n`);
    }
  });

  it("are part of the uploader's personal data", async () => {
    const { id } = await attached('mine', 'mine.txt', member.bearer);
    const part = world.app.boards.people
      .listPersonalParts(member.person.user_id)
      .find(({ name }) => name === 'attachments')!;
    const { items } = await part.page(undefined);
    expect(items).toContainEqual(expect.objectContaining({ id, name: 'mine.txt', ref: card.ref, bytes: 4 }));
  });

  it("are shown to coders as data, with a guest's file names marked", async () => {
    const files = async () =>
      writeFiles(await world.app.boards.listCardFiles(workspace.brand.brand_id, card.id));
    expect(await files()).toEqual({ text: '', byGuest: false });
    const { url } = await attached('x', 'plan.txt');
    const told = await files();
    expect(told.text).toContain(`plan.txt (text/plain; charset=utf-8, 1 bytes): ${url}`);
    expect(told.byGuest).toBe(false);
    const person = await world.person();
    await ours.call('PUT', `/boards/${board.board_id}/guests/${person.user_id}`, { role: 'commenter' });
    await attached('x', 'wish.txt', { cookie: await world.signIn(person, workspace.brand) });
    expect((await files()).byGuest).toBe(true);
  });
});

describe('An unavailable storage', () => {
  it('returns 502 with a hint to retry, and records nothing', async () => {
    const { url } = await attached('before');
    await rename(images(), images('..', 'aside'));
    await writeFile(images(), '');
    try {
      const sent = await attach('now');
      const words = { detail: 'The file storage is not reachable; try again shortly' };
      expect([sent.statusCode, sent.json()]).toEqual([502, words]);
      expect(await countOf()).toBe(1);
      expect(await spooled()).toEqual([]);
    } finally {
      await rm(images());
      await rename(images('..', 'aside'), images());
    }
    expect((await read(url)).body).toBe('before');
  });

  it('returns 503 when no storage is configured', async () => {
    const without = await startTestApp({ env: { IMAGES: 'none' } });
    try {
      const { bearer } = await without.workspace();
      const caller = boardCaller(without, bearer);
      const { id } = await caller.card((await caller.board()).board_id);
      const response = await without.inject({
        method: 'POST',
        url: pathOf(id),
        headers: { ...bearer, 'content-type': 'multipart/form-data; boundary=edge' },
        payload: form(png, 'a.png'),
      });
      expect([response.statusCode, response.json()]).toEqual([
        503,
        { detail: 'File storage not configured' },
      ]);
    } finally {
      await without.stop();
    }
  });
});
