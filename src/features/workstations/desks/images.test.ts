import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it as itInBoth } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  type OrderedDesk,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';
import { crossSection, itUsually as it } from '../../../../tests/support/deep.js';

const MEGABYTE = 1024 * 1024;
const NOBODY = '00000000-0000-4000-8000-000000000000';
let world: DeskWorld;
let space: DeskWorkspace;
let desk: OrderedDesk;

beforeAll(async () => {
  world = await startDeskWorld();
  space = await world.workspace();
  desk = await world.order(space);
});
afterAll(() => world.stop());

const url = (id = desk.workstation_id) => `/api/v1/environments/${id}/image`;
const picture = (width = 40, height = 20) =>
  sharp({ create: { width, height, channels: 3, background: '#c00' } });

const upload = (
  bytes: Buffer,
  id = desk.workstation_id,
  headers: Record<string, string> = { cookie: space.cookie },
  on = world,
) => {
  const boundary = 'guildhall-boundary';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n`;
  return on.inject({
    method: 'POST',
    url: url(id),
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
};
const read = (id = desk.workstation_id) =>
  world.inject({ method: 'GET', url: url(id), headers: { cookie: space.cookie } });
const remove = (id = desk.workstation_id) =>
  world.inject({ method: 'DELETE', url: url(id), headers: { cookie: space.cookie } });

describe('POST /api/v1/environments/{workstation_id}/image', () => {
  itInBoth.each(crossSection(['png', 'jpeg', 'gif', 'webp'] as const, 2))(
    'takes %s and stores a 256x256 JPEG',
    async (format) => {
      const response = await upload(await picture().toFormat(format).toBuffer());
      expect([response.statusCode, response.json()]).toEqual([
        200,
        { env_id: desk.workstation_id, image_url: url() },
      ]);
      const stored = await read();
      expect(stored.statusCode).toBe(200);
      expect(stored.headers['cache-control']).toBe('private, no-cache');
      expect(stored.headers['content-type']).toBe('image/jpeg');
      expect(await sharp(stored.rawPayload).metadata()).toMatchObject({
        width: 256,
        height: 256,
        format: 'jpeg',
      });
    },
  );

  it('crops around the center', async () => {
    const side = { create: { width: 100, height: 100, channels: 3 as const, background: '#00f' } };
    const wide = await sharp({ create: { width: 300, height: 100, channels: 3, background: '#f00' } })
      .composite([{ input: await sharp(side).png().toBuffer(), left: 100, top: 0 }])
      .png()
      .toBuffer();
    await upload(wide);
    const { channels } = await sharp((await read()).rawPayload).stats();
    expect(channels[2]!.mean).toBeGreaterThan(240);
    expect(channels[0]!.mean).toBeLessThan(15);
  });

  it('checks the bytes, and returns 400 for other files, an empty file and a broken picture', async () => {
    const png = await picture().png().toBuffer();
    for (const bytes of [Buffer.from('hello'), Buffer.from('<svg/>'), Buffer.alloc(0), png.subarray(0, 60)]) {
      expect((await upload(bytes)).statusCode).toBe(400);
    }
  });

  itInBoth.each(crossSection(['png', 'jpeg', 'gif', 'webp'] as const, 4))(
    'refuses half a %s with 400',
    async (format) => {
      const noise = sharp({
        create: {
          width: 300,
          height: 300,
          channels: 3,
          background: '#000',
          noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
      });
      const whole = await noise.toFormat(format).toBuffer();
      expect((await upload(whole)).statusCode).toBe(200);
      const answer = await upload(whole.subarray(0, whole.length >> 1));
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { detail: 'File must be PNG, JPG, GIF or WebP' },
      ]);
    },
  );

  it('returns 400 for text that starts like a picture', async () => {
    for (const text of [
      'GIF89a is a fine beginning for a letter, and this is one.',
      'RIFF....WEBPVP8 and more of it follows here',
    ])
      expect((await upload(Buffer.from(text))).statusCode, text).toBe(400);
  });

  it('drops EXIF data after rotating the picture as it says', async () => {
    const turned = await picture(40, 20)
      .withExif({ IFD0: { Copyright: 'secret place', Orientation: '6' } })
      .jpeg()
      .toBuffer();
    expect(turned.toString('latin1')).toContain('secret place');
    expect((await upload(turned)).statusCode).toBe(200);
    const stored = (await read()).rawPayload;
    expect(stored.toString('latin1')).not.toMatch(/secret place|Exif/);
    expect(await sharp(stored).metadata()).not.toHaveProperty('exif');
  });

  it('returns 400 without a file part', async () => {
    const boundary = 'guildhall-boundary';
    const form = (name: string, filename: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename}\r\n\r\nx\r\n--${boundary}--\r\n`;
    for (const payload of [form('photo', '; filename="a.png"'), form('file', ''), `--${boundary}--\r\n`]) {
      const answer = await world.inject({
        method: 'POST',
        url: url(),
        headers: { cookie: space.cookie, 'content-type': `multipart/form-data; boundary=${boundary}` },
        payload,
      });
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { detail: 'File must be PNG, JPG, GIF or WebP' },
      ]);
    }
  });

  it('accepts exactly 5 MB and returns 400 for one byte more', async () => {
    const png = await picture().png().toBuffer();
    const padded = (size: number) => Buffer.concat([png, Buffer.alloc(size - png.length)]);
    expect((await upload(padded(5 * MEGABYTE))).statusCode).toBe(200);
    const response = await upload(padded(5 * MEGABYTE + 1));
    expect([response.statusCode, response.json()]).toEqual([400, { detail: 'File too large (max 5MB)' }]);
  });

  it('refuses a small file that decodes to too many pixels', async () => {
    const bomb = await picture(9000, 9000).png({ compressionLevel: 9 }).toBuffer();
    expect(bomb.length).toBeLessThan(5 * MEGABYTE);
    expect((await upload(bomb)).statusCode).toBe(400);
  });

  it('returns 401 without a session and 404 for an unknown desk', async () => {
    const png = await picture().png().toBuffer();
    expect((await upload(png, desk.workstation_id, {})).statusCode).toBe(401);
    expect((await upload(png, NOBODY)).statusCode).toBe(404);
    const other = await world.workspace();
    const theirs = await world.order(other);
    expect((await upload(png, theirs.workstation_id)).statusCode).toBe(404);
  });
});

const storedKey = async (id: string): Promise<string> =>
  (await world.database.pool.query('select image_key from desks where desk_id = $1', [id])).rows[0].image_key;
const isStored = async (key: string) => (await world.app.images.get(key)) !== undefined;

describe('A photo that is no longer referenced', () => {
  it('is deleted when it is replaced or removed, or its desk is released', async () => {
    const other = await world.order(space);
    const png = await picture().png().toBuffer();
    await upload(png, other.workstation_id);
    const first = await storedKey(other.workstation_id);
    await upload(png, other.workstation_id);
    const second = await storedKey(other.workstation_id);
    expect([await isStored(first), await isStored(second)]).toEqual([false, true]);
    await remove(other.workstation_id);
    expect(await isStored(second)).toBe(false);
    await upload(png, other.workstation_id);
    const third = await storedKey(other.workstation_id);
    await world.asMember(space)('DELETE', `/api/v1/workstations/${other.workstation_id}`);
    expect(await isStored(third)).toBe(false);
  });

  it('is deleted after the commit when the desk is released in a larger transaction', async () => {
    const { workstations } = world.app;
    await workstations.start();
    const other = await world.order(space);
    await upload(await picture().png().toBuffer(), other.workstation_id);
    const key = await storedKey(other.workstation_id);
    const release = () =>
      world.db.transaction().execute(async (tx) => {
        await workstations.releaseDesk(tx, space.brand.brand_id, other.workstation_id, { kind: 'service' });
        expect(await isStored(key)).toBe(true);
      });
    await release();
    await expect.poll(() => isStored(key)).toBe(false);
    await workstations.stop();
  });
});

describe('GET and DELETE /api/v1/environments/{workstation_id}/image', () => {
  it('deletes reference and object, and succeeds without a photo', async () => {
    await upload(await picture().png().toBuffer());
    for (let count = 0; count < 2; count++) {
      const response = await remove();
      expect([response.statusCode, response.json()]).toEqual([
        200,
        { env_id: desk.workstation_id, image_url: null },
      ]);
    }
    expect((await read()).statusCode).toBe(404);
    expect((await remove(NOBODY)).statusCode).toBe(404);
    expect((await read(NOBODY)).statusCode).toBe(404);
  });

  it('returns 404 when the stored object is missing', async () => {
    await upload(await picture().png().toBuffer());
    await world.app.images.delete(await storedKey(desk.workstation_id));
    expect((await read()).statusCode).toBe(404);
  });
});

describe('Desk photos with IMAGES=none', () => {
  it('return 503 Image storage not configured', async () => {
    const bare = await startDeskWorld({ IMAGES: 'none' });
    const home = await bare.workspace();
    const ordered = await bare.order(home);
    const response = await upload(
      await picture().png().toBuffer(),
      ordered.workstation_id,
      { cookie: home.cookie },
      bare,
    );
    expect([response.statusCode, response.json()]).toEqual([503, { detail: 'Image storage not configured' }]);
    expect((await bare.asMember(home)('GET', url(ordered.workstation_id))).statusCode).toBe(503);
    expect((await bare.asMember(home)('DELETE', url(ordered.workstation_id))).statusCode).toBe(200);
    await bare.stop();
  });
});
