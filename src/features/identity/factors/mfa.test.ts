import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, answered } from '../../../../tests/support/accounts.js';
import { PASSWORD, startTestApp, type World } from '../../../../tests/support/app.js';

let world: World;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startTestApp();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());

const finish = (challenge: string, code: string) => accounts.ask('POST', '/auth/mfa', { challenge, code });
const WRONG = [401, { detail: 'This code is wrong or was used before' }];
const ENDED = [401, { detail: 'This sign-in has ended; sign in again' }];

async function personWithTotp() {
  const home = await world.workspace();
  return { ...home, ...(await accounts.setUpTotp(home.cookie)) };
}

describe('/api/v1/me/mfa/totp', () => {
  it('returns a secret with its URI, and ten recovery codes only once', async () => {
    const { admin, cookie } = await world.workspace();
    const begun = (await accounts.ask('POST', '/me/mfa/totp', undefined, { cookie })).json();
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(begun.uri).toContain(`secret=${begun.secret}`);
    expect(decodeURIComponent(begun.uri)).toMatch(new RegExp(`^otpauth://totp/Guildhall:${admin.email}`));
    // Sign-in requires no code before the secret is confirmed.
    expect((await accounts.login(admin.email)).json()).not.toHaveProperty('mfa_required');

    const confirm = (code: string) => accounts.ask('POST', '/me/mfa/totp/confirm', { code }, { cookie });
    expect((await confirm('000000')).statusCode).toBe(400);
    const { recovery_codes } = (await confirm(accounts.codeOf(begun.secret))).json();
    expect(new Set(recovery_codes).size).toBe(10);
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).json().mfa).toEqual({
      totp: true,
      recovery_codes_left: 10,
    });
    expect((await confirm(accounts.codeOf(begun.secret, 1))).statusCode).toBe(409);
    expect((await accounts.ask('POST', '/me/mfa/totp', undefined, { cookie })).statusCode).toBe(409);
  });

  it('stores the secret encrypted and recovery codes as digests', async () => {
    const { admin, secret, recoveryCodes } = await personWithTotp();
    const factor = await world.db
      .selectFrom('totp_factors')
      .selectAll()
      .where('user_id', '=', admin.user_id)
      .executeTakeFirstOrThrow();
    const codes = await world.db.selectFrom('recovery_codes').selectAll().execute();
    expect(JSON.stringify([factor, codes])).not.toContain(secret);
    for (const code of recoveryCodes) expect(JSON.stringify(codes)).not.toContain(code);
  });

  it('requires the password for removal; a wrong one returns 400 and counts as a failed sign-in', async () => {
    const { brand, admin, cookie } = await personWithTotp();
    const remove = (password: string) => accounts.ask('DELETE', '/me/mfa/totp', { password }, { cookie });
    expect((await remove('not the password')).statusCode).toBe(400);
    expect((await remove(PASSWORD)).statusCode).toBe(204);
    expect((await remove(PASSWORD)).statusCode).toBe(404);
    expect((await accounts.login(admin.email)).json()).toMatchObject({ role: 'admin' });
    const actions = (await accounts.audit(brand.brand_id)).map(({ action }) => action);
    for (const action of ['totp.set', 'totp.removed', 'sign-in.failed']) expect(actions).toContain(action);
  });
});

describe('POST /api/v1/auth/mfa', () => {
  it('completes a sign-in that returned mfa_required and a challenge without a session', async () => {
    const { brand, admin, secret } = await personWithTotp();
    const asked = await accounts.login(admin.email);
    expect(answered(asked)).toEqual([200, { mfa_required: true, challenge: expect.any(String) }]);
    expect(asked.headers['set-cookie']).toBeUndefined();
    const done = await finish(asked.json().challenge, accounts.codeOf(secret));
    expect(answered(done)).toEqual([
      200,
      {
        user: { user_id: admin.user_id, email: admin.email, full_name: admin.full_name },
        brand: { brand_id: brand.brand_id, name: brand.name },
        role: 'admin',
      },
    ]);
    const cookie = `guildhall_session=${accounts.cookiesOf(done)['guildhall_session']}`;
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).statusCode).toBe(200);
    expect(answered(await finish(asked.json().challenge, accounts.codeOf(secret, 1)))).toEqual(ENDED);
  });

  it('accepts codes of the previous and next step, not of two steps away, and each only once', async () => {
    const { admin, secret } = await personWithTotp();
    const challenge = await accounts.challenge(admin);
    expect(answered(await finish(challenge, accounts.codeOf(secret, -2)))).toEqual(WRONG);
    expect(answered(await finish(challenge, accounts.codeOf(secret, 2)))).toEqual(WRONG);
    expect((await finish(challenge, accounts.codeOf(secret, -1))).statusCode).toBe(200);
    const next = await accounts.challenge(admin);
    expect(answered(await finish(next, accounts.codeOf(secret, -1)))).toEqual(WRONG);
    expect((await finish(next, accounts.codeOf(secret, 1))).statusCode).toBe(200);
  });

  it('accepts a code only once when two requests send it at once', async () => {
    const { admin, secret } = await personWithTotp();
    const challenges = [await accounts.challenge(admin), await accounts.challenge(admin)];
    const code = accounts.codeOf(secret);
    const answers = await Promise.all(challenges.map((challenge) => finish(challenge, code)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
  });

  it('ends the challenge after the fifth wrong code, also for concurrent requests', async () => {
    const { admin, secret } = await personWithTotp();
    const challenge = await accounts.challenge(admin);
    const answers = await Promise.all(Array.from({ length: 5 }, () => finish(challenge, 'abcdef')));
    for (const answer of answers) expect(answered(answer)).toEqual(WRONG);
    expect(answered(await finish(challenge, accounts.codeOf(secret)))).toEqual(ENDED);
    expect((await finish(await accounts.challenge(admin), accounts.codeOf(secret))).statusCode).toBe(200);
  });

  it('counts wrong codes for the account and returns 429 after ten', async () => {
    const { admin, secret } = await personWithTotp();
    for (let round = 0; round < 2; round += 1) {
      const challenge = await accounts.challenge(admin);
      for (let time = 0; time < 5; time += 1) await finish(challenge, 'abcdef');
    }
    expect((await accounts.login(admin.email)).statusCode).toBe(429);
    await world.advance(15 * 60 + 1);
    expect((await finish(await accounts.challenge(admin), accounts.codeOf(secret))).statusCode).toBe(200);
  });

  it('accepts a recovery code once, in any spelling', async () => {
    const { admin, cookie, recoveryCodes } = await personWithTotp();
    const typed = recoveryCodes[0]!.replaceAll('-', ' ').toUpperCase();
    expect((await finish(await accounts.challenge(admin), typed)).statusCode).toBe(200);
    expect(answered(await finish(await accounts.challenge(admin), recoveryCodes[0]!))).toEqual(WRONG);
    expect((await accounts.ask('GET', '/me', undefined, { cookie })).json().mfa.recovery_codes_left).toBe(9);
    const other = await personWithTotp();
    expect(answered(await finish(await accounts.challenge(other.admin), recoveryCodes[1]!))).toEqual(WRONG);
  });

  it('ends after ten minutes and with a changed password', async () => {
    const { admin, cookie, secret } = await personWithTotp();
    const slow = await accounts.challenge(admin);
    await world.advance(10 * 60);
    expect(answered(await finish(slow, accounts.codeOf(secret)))).toEqual(ENDED);
    const begun = await accounts.challenge(admin);
    const password = { current: PASSWORD, new: 'a longer new secret' };
    expect((await accounts.ask('PATCH', '/me', { password }, { cookie })).statusCode).toBe(200);
    expect(answered(await finish(begun, accounts.codeOf(secret)))).toEqual(ENDED);
  });

  it('ends when the person leaves the workspace and stays ended when they return', async () => {
    const home = await world.workspace();
    const person = await world.member(home.brand);
    const { secret } = await accounts.setUpTotp(await world.signIn(person, home.brand));
    const challenge = await accounts.challenge(person);
    await world.operator('DELETE', `/brands/${home.brand.brand_id}/members/${person.user_id}`);
    await world.member(home.brand, { person });
    expect(answered(await finish(challenge, accounts.codeOf(secret)))).toEqual(ENDED);
  });
});
