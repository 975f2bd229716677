import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountsOf } from '../../../../tests/support/accounts.js';
import { startTestApp, type World } from '../../../../tests/support/app.js';

vi.mock('@node-rs/argon2', async (importOriginal) => {
  const original = await importOriginal<typeof import('@node-rs/argon2')>();
  const verify: typeof original.verify = (...given) => original.verify(...given);
  return { ...original, verify: vi.fn(verify) };
});

const WRONG = 'not the password';
let world: World;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startTestApp();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());
beforeEach(() => {
  vi.mocked(verify).mockClear();
});

/** Counts hash comparisons, which dominate the time of a sign-in. */
const comparisons = () => vi.mocked(verify).mock.calls.length;

describe('Sign-in compares exactly one hash, so that its time reveals nothing', () => {
  it('for a known person with the right and the wrong password', async () => {
    const { admin } = await world.workspace();
    vi.mocked(verify).mockClear();
    expect((await accounts.login(admin.email)).statusCode).toBe(200);
    expect(comparisons()).toBe(1);
    expect((await accounts.login(admin.email, WRONG)).statusCode).toBe(401);
    expect(comparisons()).toBe(2);
  });

  it('for an unknown person', async () => {
    expect((await accounts.login('nobody@example.test', WRONG)).statusCode).toBe(401);
    expect(comparisons()).toBe(1);
  });

  it('for a person without a password who uses a provider', async () => {
    const person = await world.operator<{ user_id: number; email: string; full_name: string }>(
      'POST',
      '/users',
      { email: 'provided@example.test', full_name: 'Provided' },
    );
    await world.member(await world.brand(), { person });
    vi.mocked(verify).mockClear();
    expect((await accounts.login(person.email, WRONG)).statusCode).toBe(401);
    expect(comparisons()).toBe(1);
  });

  it('for a person with a second factor', async () => {
    const { admin, cookie } = await world.workspace();
    await accounts.setUpTotp(cookie);
    vi.mocked(verify).mockClear();
    expect((await accounts.login(admin.email)).json()).toMatchObject({ mfa_required: true });
    expect(comparisons()).toBe(1);
  });

  it('for a locked account, known or unknown, in a known browser or not', async () => {
    const { admin } = await world.workspace();
    const known = accounts.cookiesOf(await accounts.login(admin.email))['guildhall_known'];
    for (const [email, cookie] of [
      [admin.email, `guildhall_known=${known}`],
      [admin.email, ''],
      ['locked-nobody@example.test', ''],
    ] as const) {
      for (let failure = 0; failure < 10; failure++) await accounts.login(email, WRONG, { cookie });
      vi.mocked(verify).mockClear();
      expect((await accounts.login(email, WRONG, { cookie })).statusCode).toBe(429);
      expect(comparisons()).toBe(1);
    }
  });
});
