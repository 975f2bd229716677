import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, startTestApp, type World } from '../../../tests/support/app.js';

const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.stop();
});

async function start(env: Record<string, string> = {}): Promise<World> {
  const world = await startTestApp({ env });
  worlds.push(world);
  return world;
}

const askWith = (world: World, key: string, address: string, url = '/api/v1/admin/brands') =>
  world.inject({ url, headers: { 'x-admin-key': key, 'x-forwarded-for': address } });

const statusWith = async (...asked: Parameters<typeof askWith>) => (await askWith(...asked)).statusCode;

describe('Limit of 100 wrong admin keys in 15 minutes from one address', () => {
  let world: World;
  const guesser = '198.51.100.1';

  beforeAll(async () => {
    world = await start({ LOG_LEVEL: 'warn' });
    await world.freeze();
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, n) => statusWith(world, `wrong ${n}`, guesser)),
    );
    expect(answers.filter((status) => status === 401)).toHaveLength(100);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
  });

  it('returns 429 with the time of the next try on every route that takes the key', async () => {
    for (const url of ['/api/v1/admin/brands', '/metrics', '/api/v1/employees']) {
      const refused = await askWith(world, 'wrong', guesser, url);
      expect([refused.statusCode, refused.json(), refused.headers['retry-after']]).toEqual([
        429,
        { detail: 'Too many failed attempts; try again later' },
        '900',
      ]);
    }
  });

  it('rejects the right key too, so that further guessing finds nothing', async () => {
    expect(await statusWith(world, ADMIN_KEY, guesser)).toBe(429);
  });

  it('counts only wrong keys, even when many right ones arrive at once', async () => {
    const address = '198.51.100.3';
    const right = await Promise.all(Array.from({ length: 150 }, () => statusWith(world, ADMIN_KEY, address)));
    expect(new Set(right)).toEqual(new Set([200]));
    for (let n = 0; n < 99; n++) await statusWith(world, 'wrong', address);
    expect(await statusWith(world, ADMIN_KEY, address)).toBe(200);
    expect(await statusWith(world, 'wrong', address)).toBe(401);
    expect(await statusWith(world, ADMIN_KEY, address)).toBe(429);
  });

  it('logs the address and never a key', () => {
    expect(
      world.logLines.some((line) => line.includes('198.51.100.1') && line.includes('wrong admin key')),
    ).toBe(true);
    expect(world.logLines.join()).not.toMatch(/wrong \d|test-admin-key/);
  });
});

describe('ADMIN_API_KEY', () => {
  it('accepts two keys separated by a comma', async () => {
    const world = await start({ ADMIN_API_KEY: 'the new one, the old one' });
    expect(await statusWith(world, 'the new one', '198.51.100.1')).toBe(200);
    expect(await statusWith(world, 'the old one', '198.51.100.1')).toBe(200);
    for (const wrong of ['the new one, the old one', 'the new one,the old one', 'the new', '', ','])
      expect(await statusWith(world, wrong, '198.51.100.1'), wrong).toBe(401);
  });
});
