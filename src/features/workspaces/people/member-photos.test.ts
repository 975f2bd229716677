import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crossSection, itDeeply } from '../../../../tests/support/deep.js';
import {
  refused,
  type SettingsWorld,
  startSettingsWorld,
  type Workspace,
} from '../../../../tests/support/settings-world.js';
import { LARGEST_PHOTO } from './member-photos.service.js';

let world: SettingsWorld;
let acme: Workspace;
let pictures: Record<'png' | 'jpeg' | 'gif' | 'webp' | 'tall', Buffer>;

beforeAll(async () => {
  world = await startSettingsWorld();
  acme = await world.workspace();
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#336699' } });
  const encode = (format: 'png' | 'jpeg' | 'gif' | 'webp') => picture.clone().toFormat(format).toBuffer();
  pictures = {
    png: await encode('png'),
    jpeg: await encode('jpeg'),
    gif: await encode('gif'),
    webp: await encode('webp'),
    tall: await picture.clone().resize(8, 16).png().toBuffer(),
  };
});
afterAll(() => world.stop());

const pixelsOf = async (bytes: Buffer) => [...(await sharp(bytes).raw().toBuffer())];
const padded = (bytes: number) => Buffer.concat([pictures.png, Buffer.alloc(bytes - pictures.png.length)]);
const urlOf = ({ brand }: Workspace, userId: number) =>
  `/api/v1/brands/${brand.brand_id}/members/${userId}/photo`;
const NOT_FOUND = refused(404, 'Member not found');

describe('POST /brands/{brand_id}/members/{user_id}/photo', () => {
  it.each(crossSection(['png', 'jpeg', 'gif'] as const, 2))(
    'accepts a %s by its bytes and serves it',
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
      expect(await pixelsOf(response.rawPayload)).toEqual(await pixelsOf(pictures[format]));
      const etag = String(response.headers['etag']);
      for (const tags of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
        const again = { ...acme.bearer, 'if-none-match': tags };
        expect((await world.inject({ url: photo, headers: again })).statusCode, tags).toBe(304);
      }
    },
  );

  it('returns the pixel limit for a picture with too many pixels', async () => {
    const large = sharp({ create: { width: 9000, height: 9000, channels: 3, background: '#336699' } });
    const answer = await world.upload(acme, acme.admin.user_id, await large.jpeg().toBuffer());
    expect(answer).toEqual(refused(400, 'File has too many pixels (max 40 megapixels)'));
  });

  it('rejects every other file, regardless of its name', async () => {
    const { user_id } = acme.admin;
    for (const file of [
      pictures.webp,
      Buffer.alloc(0),
      Buffer.from('\x89PNG but not really'),
      Buffer.from('GIF88a'),
      Buffer.from('GIF89a is how this text begins, and! it, goes on, for a while, as texts do!'),
      pictures.gif.subarray(0, 20),
      pictures.png.subarray(0, 60),
      pictures.jpeg.subarray(0, pictures.jpeg.length - 40),
      Buffer.concat([pictures.gif.subarray(0, 13), Buffer.from(',,,,,,,,,,,,,,,,,,,')]),
    ]) {
      expect(await world.upload(acme, user_id, file)).toEqual(refused(400, 'File must be PNG, JPG or GIF'));
    }
  });

  it('accepts exactly 5 MB and rejects one byte more, and checks the type before the size', async () => {
    const { user_id } = await world.member(acme.brand);
    expect((await world.upload(acme, user_id, padded(LARGEST_PHOTO)))[0]).toBe(200);
    const tooLarge = await world.upload(acme, user_id, padded(LARGEST_PHOTO + 1));
    expect(tooLarge).toEqual(refused(400, 'File too large (max 5MB)'));
    const wrongToo = await world.upload(acme, user_id, Buffer.alloc(LARGEST_PHOTO + 1));
    expect(wrongToo).toEqual(refused(400, 'File must be PNG, JPG or GIF'));
  });

  it.each(crossSection(['jpeg', 'png'] as const, 2))(
    'removes EXIF from a %s and applies its rotation',
    async (format) => {
      const { user_id } = await world.member(acme.brand);
      const told = await sharp(pictures.tall)
        .withExif({ IFD0: { Artist: 'Told Secretly' }, IFD3: { GPSLatitude: '59/1 19/1 0/1' } })
        .withMetadata({ orientation: 6 })
        .toFormat(format)
        .toBuffer();
      expect(told.includes('Told Secretly')).toBe(true);
      expect((await world.upload(acme, user_id, told))[0]).toBe(200);
      const kept = (await world.inject({ url: urlOf(acme, user_id), headers: acme.bearer })).rawPayload;
      const { exif, orientation, width, height } = await sharp(kept).metadata();
      expect(exif).toBeUndefined();
      expect(orientation).toBeUndefined();
      expect(kept.includes('Told Secretly')).toBe(false);
      if (format === 'jpeg') expect([width, height]).toEqual([16, 8]);
    },
  );

  it('keeps the frames of a GIF and removes its comments', async () => {
    const { user_id } = await world.member(acme.brand);
    const frames = Buffer.concat([Buffer.alloc(192, 10), Buffer.alloc(192, 200), Buffer.alloc(192, 90)]);
    const raw = { width: 8, height: 24, channels: 3 as const, pageHeight: 8 };
    const animated = await sharp(frames, { raw })
      .gif({ delay: [100, 200, 300], loop: 2 })
      .toBuffer();
    const comment = Buffer.from('\x21\xfe\x0bTold Secret\x00', 'latin1');
    const xmp = Buffer.from('\x21\xff\x0bXMP DataXMP\x05place\x00', 'latin1');
    const head = 13 + (animated[10]! & 0x80 ? 3 * 2 ** ((animated[10]! & 7) + 1) : 0);
    const told = Buffer.concat([
      animated.subarray(0, head),
      comment,
      xmp,
      animated.subarray(head),
      Buffer.from('behind the end'),
    ]);
    expect((await world.upload(acme, user_id, told))[0]).toBe(200);
    const kept = (await world.inject({ url: urlOf(acme, user_id), headers: acme.bearer })).rawPayload;
    expect(kept.equals(animated)).toBe(true);
  });

  itDeeply('keeps one object per member, also after concurrent uploads', async () => {
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
  it('removes the photo and is idempotent', async () => {
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

describe('Without image storage', () => {
  it('an upload returns 503 Image storage not configured', async () => {
    const bare = await startSettingsWorld({ IMAGES: 'none' });
    const workspace = await bare.workspace();
    const answer = await bare.upload(workspace, workspace.admin.user_id, pictures.png);
    expect(answer).toEqual(refused(503, 'Image storage not configured'));
    const path = `/members/${workspace.admin.user_id}/photo`;
    expect(await bare.ask(workspace, 'DELETE', path)).toEqual([200, { photo: null }]);
    await bare.stop();
  });
});
