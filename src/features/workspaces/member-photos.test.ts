import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../tests/support/settings-world.js';
import { LARGEST_PHOTO } from './member-photos.service.js';

let world: SettingsWorld;
let acme: Workspace;
let pictures: Record<'png' | 'jpeg' | 'gif' | 'webp', Buffer>;

beforeAll(async () => {
  world = await startSettingsWorld();
  acme = await world.workspace();
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#336699' } });
  const encode = (format: keyof typeof pictures) => picture.clone().toFormat(format).toBuffer();
  pictures = {
    png: await encode('png'),
    jpeg: await encode('jpeg'),
    gif: await encode('gif'),
    webp: await encode('webp'),
  };
});
afterAll(() => world.stop());

const padded = (bytes: number) => Buffer.concat([pictures.png, Buffer.alloc(bytes - pictures.png.length)]);
const urlOf = ({ brand }: Workspace, userId: number) =>
  `/api/v1/brands/${brand.brand_id}/members/${userId}/photo`;
const NOT_FOUND = refused(404, 'Member not found');

describe('POST /brands/{brand_id}/members/{user_id}/photo', () => {
  it.each(['png', 'jpeg', 'gif'] as const)(
    'takes a %s, judged by its bytes, and serves it',
    async (format) => {
      const { user_id } = await world.member(acme.brand);
      expect(await world.upload(acme, user_id, pictures[format])).toEqual([
        200,
        { photo: urlOf(acme, user_id) },
      ]);
      const [, member] = await world.ask(acme, 'GET', `/members/${user_id}`);
      const { photo } = member as { photo: string };
      const response = await world.inject({
        url: photo,
        headers: await world.memberBearer(acme, ['brand:read']),
      });
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, `image/${format}`]);
      expect(response.rawPayload.equals(pictures[format])).toBe(true);
      const again = { ...acme.bearer, 'if-none-match': String(response.headers['etag']) };
      expect((await world.inject({ url: photo, headers: again })).statusCode).toBe(304);
    },
  );

  it('refuses every other file, whatever it is called', async () => {
    const { user_id } = acme.admin;
    for (const file of [
      pictures.webp,
      Buffer.alloc(0),
      Buffer.from('\x89PNG but not really'),
      Buffer.from('GIF88a'),
    ]) {
      expect(await world.upload(acme, user_id, file)).toEqual(refused(400, 'File must be PNG, JPG or GIF'));
    }
  });

  it('takes exactly 5 MB and not a byte more, and judges the type before the size', async () => {
    const { user_id } = await world.member(acme.brand);
    expect((await world.upload(acme, user_id, padded(LARGEST_PHOTO)))[0]).toBe(200);
    const tooLarge = await world.upload(acme, user_id, padded(LARGEST_PHOTO + 1));
    expect(tooLarge).toEqual(refused(400, 'File too large (max 5MB)'));
    const wrongToo = await world.upload(acme, user_id, Buffer.alloc(LARGEST_PHOTO + 1));
    expect(wrongToo).toEqual(refused(400, 'File must be PNG, JPG or GIF'));
  });

  it('judges the file before the person', async () => {
    expect((await world.upload(acme, 'nobody', Buffer.from('text')))[0]).toBe(400);
    expect(await world.upload(acme, 'nobody', pictures.png)).toEqual(NOT_FOUND);
    const other = await world.workspace();
    expect(await world.upload(acme, other.admin.user_id, pictures.png)).toEqual(NOT_FOUND);
  });

  it('asks for the field file', async () => {
    expect(await world.upload(acme, acme.admin.user_id, pictures.png, 'picture')).toEqual(
      refused(422, 'file is required'),
    );
  });

  it('keeps one object a member, also when many are sent at once', async () => {
    const { user_id } = await world.member(acme.brand);
    await Promise.all(Array.from({ length: 8 }, () => world.upload(acme, user_id, pictures.png)));
    const folder = join(
      world.config.dataDir,
      'images',
      'members',
      String(acme.brand.brand_id),
      String(user_id),
    );
    const kept = (await readdir(folder)).filter((name) => !name.endsWith('.json') && !name.endsWith('.type'));
    expect(kept).toHaveLength(1);
    expect((await world.inject({ url: urlOf(acme, user_id), headers: acme.bearer })).statusCode).toBe(200);
  });
});

describe('DELETE /brands/{brand_id}/members/{user_id}/photo', () => {
  it('removes the photo, and again without complaint', async () => {
    const { user_id } = await world.member(acme.brand);
    await world.upload(acme, user_id, pictures.gif);
    for (let time = 0; time < 2; time++) {
      expect(await world.ask(acme, 'DELETE', `/members/${user_id}/photo`)).toEqual([200, { photo: null }]);
    }
    expect((await world.ask(acme, 'GET', `/members/${user_id}`))[1]).toMatchObject({ photo: null });
    expect(await world.ask(acme, 'GET', `/members/${user_id}/photo`)).toEqual(refused(404, 'Not found'));
    expect(await world.ask(acme, 'DELETE', '/members/999999/photo')).toEqual(NOT_FOUND);
  });
});

describe('without image storage', () => {
  it('an upload answers 503 Image storage not configured', async () => {
    const bare = await startSettingsWorld({ IMAGES: 'none' });
    const workspace = await bare.workspace();
    const answer = await bare.upload(workspace, workspace.admin.user_id, pictures.png);
    expect(answer).toEqual(refused(503, 'Image storage not configured'));
    const path = `/members/${workspace.admin.user_id}/photo`;
    expect(await bare.ask(workspace, 'DELETE', path)).toEqual([200, { photo: null }]);
    await bare.stop();
  });
});
