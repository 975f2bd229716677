import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../tests/support/app.js';
import { readConfig } from '../config/config.js';
import { wantsDemo } from './demo.js';

let world: World;
const warnings: unknown[] = [];

beforeAll(async () => {
  world = await startTestApp();
});

afterAll(() => world.stop());

const wanted = (environment: Record<string, string>) => {
  const log = { warn: (...words: unknown[]) => void warnings.push(words) };
  return wantsDemo({ ...world.app, config: readConfig(environment) }, log);
};

describe('Demo data', () => {
  it('is created automatically on an empty embedded database, and elsewhere only when configured', async () => {
    expect(await wanted({})).toBe(true);
    expect(await wanted({ GUILDHALL_DEMO: '0' })).toBe(false);
    expect(await wanted({ DATABASE_URL: 'postgres://db/guildhall' })).toBe(false);
    expect(await wanted({ DATABASE_URL: 'postgres://db/guildhall', GUILDHALL_DEMO: '1' })).toBe(true);
    expect(await wanted({ ENVIRONMENT: 'staging', GUILDHALL_DEMO: '1' })).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('is never created with ENVIRONMENT=production, which logs a warning when it was requested', async () => {
    expect(await wanted({ ENVIRONMENT: 'production' })).toBe(false);
    expect(warnings).toEqual([]);
    expect(await wanted({ ENVIRONMENT: 'production', GUILDHALL_DEMO: '1' })).toBe(false);
    expect(
      await wanted({ ENVIRONMENT: 'production', GUILDHALL_DEMO: '1', DATABASE_URL: 'postgres://db/x' }),
    ).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  it('is not created when a workspace already exists', async () => {
    await world.brand();
    expect(await wanted({})).toBe(false);
    expect(await wanted({ GUILDHALL_DEMO: '1' })).toBe(false);
  });
});
