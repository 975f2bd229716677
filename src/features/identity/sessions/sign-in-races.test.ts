import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '../../../../tests/support/accounts.js';
import { PASSWORD, type TestPerson } from '../../../../tests/support/app.js';
import { callWhileLocked, holdPerson } from '../../../../tests/support/interleaving.js';
import { type SettingsWorld, startSettingsWorld } from '../../../../tests/support/settings-world.js';

const NEW_PASSWORD = 'a much better one';
let world: SettingsWorld;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startSettingsWorld();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());

const statuses = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode);

/** Returns a call that sets a new password with a mailed link. */
async function resetOf(person: TestPerson) {
  const token = await world.app.identity.createPasswordReset(world.db, person.user_id);
  return () => accounts.ask('POST', '/auth/reset-password', { token, password: NEW_PASSWORD });
}

const sessionsOf = async ({ user_id }: TestPerson) =>
  (await world.db.selectFrom('sessions').select('session_id').where('user_id', '=', user_id).execute())
    .length;

const challengesOf = async ({ user_id }: TestPerson) =>
  (
    await world.db
      .selectFrom('mfa_challenges')
      .select('challenge_hash')
      .where('user_id', '=', user_id)
      .execute()
  ).length;

describe('Sign-in with the old password during a password reset', () => {
  it('returns 401 when the new password comes first', async () => {
    const { admin, brand } = await world.workspace();
    const answers = await callWhileLocked(world, holdPerson(admin), await resetOf(admin), () =>
      accounts.login(admin.email),
    );
    expect(statuses(answers)).toEqual([200, 401]);
    expect(await sessionsOf(admin)).toBe(0);
    const [failure] = await accounts.audit(brand.brand_id);
    expect(failure).toMatchObject({ action: 'sign-in.failed', subject: `user:${admin.user_id}` });
  });

  it('opens a session that the reset ends when the sign-in comes first', async () => {
    const { admin } = await world.workspace();
    const reset = await resetOf(admin);
    const answers = await callWhileLocked(world, holdPerson(admin), () => accounts.login(admin.email), reset);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(await sessionsOf(admin)).toBe(0);
  });

  it('creates no second-factor challenge', async () => {
    const { admin, cookie } = await world.workspace();
    await accounts.setUpTotp(cookie);
    const answers = await callWhileLocked(world, holdPerson(admin), await resetOf(admin), () =>
      accounts.login(admin.email),
    );
    expect(statuses(answers)).toEqual([200, 401]);
    expect(await challengesOf(admin)).toBe(0);
  });

  it('does not complete a challenge from before the reset', async () => {
    const { admin, cookie } = await world.workspace();
    const { secret } = await accounts.setUpTotp(cookie);
    const challenge = await accounts.challenge(admin);
    const code = accounts.codeOf(secret);
    const answers = await callWhileLocked(world, holdPerson(admin), await resetOf(admin), () =>
      accounts.ask('POST', '/auth/mfa', { challenge, code }),
    );
    expect(statuses(answers)).toEqual([200, 401]);
    expect(await sessionsOf(admin)).toBe(0);
  });
});

describe('Proof by the old password during a password reset', () => {
  it.each([
    ['a second new password', 'PATCH', '/me', { password: { current: PASSWORD, new: 'yet another one' } }],
    ['disabling two-factor sign-in', 'DELETE', '/me/mfa/totp', { password: PASSWORD }],
    ['erasing the account', 'DELETE', '/me', { password: PASSWORD }],
  ] as const)('is rejected for: %s', async (_what, method, path, body) => {
    const { admin, cookie } = await world.workspace();
    if (path.endsWith('totp')) await accounts.setUpTotp(cookie);
    const answers = await callWhileLocked(world, holdPerson(admin), await resetOf(admin), () =>
      accounts.ask(method, path, body, { cookie }),
    );
    expect(statuses(answers)).toEqual([200, 401]);
    expect((await accounts.login(admin.email, NEW_PASSWORD)).json().mfa_required).toBe(
      path.endsWith('totp') ? true : undefined,
    );
  });

  it('returns 400 when the same session changed the password meanwhile', async () => {
    const { admin, cookie } = await world.workspace();
    const change = (wished: string) => () =>
      accounts.ask('PATCH', '/me', { password: { current: PASSWORD, new: wished } }, { cookie });
    const answers = await callWhileLocked(
      world,
      holdPerson(admin),
      change(NEW_PASSWORD),
      change('yet another one'),
    );
    expect(statuses(answers)).toEqual([200, 400]);
    expect((await accounts.login(admin.email, NEW_PASSWORD)).statusCode).toBe(200);
  });
});

describe('Workspace switch while all other sessions are ended', () => {
  const home = async () => {
    const { admin, brand, cookie } = await world.workspace();
    const other = await world.brand();
    await world.member(other, { person: admin });
    const switching = await world.signIn(admin, brand);
    return {
      admin,
      follow: () => accounts.ask('POST', '/auth/switch', { brand_id: other.brand_id }, { cookie: switching }),
      endOthers: () => accounts.ask('DELETE', '/me/sessions', undefined, { cookie }),
    };
  };

  it('ends the new session too when the switch comes first', async () => {
    const { admin, follow, endOthers } = await home();
    expect(statuses(await callWhileLocked(world, holdPerson(admin), follow, endOthers))).toEqual([200, 204]);
    expect(await sessionsOf(admin)).toBe(1);
  });

  it('opens no new session when the end comes first', async () => {
    const { admin, follow, endOthers } = await home();
    expect(statuses(await callWhileLocked(world, holdPerson(admin), endOthers, follow))).toEqual([204, 401]);
    expect(await sessionsOf(admin)).toBe(1);
  });
});

describe("Joining a second workspace while an admin of the first sets the person's password", () => {
  const joining = async () => {
    const [first, second] = [await world.workspace(), await world.workspace()];
    const person = await world.member(first.brand);
    await world.ask(second, 'POST', '/invitations', { email: person.email, role: 'member' });
    const link = /\/invitations\/([\w-]+)/.exec((await world.outbox()).at(-1)!)![1];
    const cookie = await world.signIn(person, first.brand);
    return {
      person,
      accept: async () => accounts.ask('POST', `/invitations/${link}/accept`, {}, { cookie }),
      setPassword: () =>
        world.inject({
          method: 'POST',
          url: `/api/v1/brands/${first.brand.brand_id}/members/${person.user_id}/set-password`,
          headers: first.bearer,
          payload: { password: NEW_PASSWORD },
        }),
      enter: () =>
        world.inject({
          method: 'POST',
          url: '/api/v1/auth/login',
          payload: { email: person.email, password: NEW_PASSWORD, brand_id: second.brand.brand_id },
        }),
    };
  };

  it("keeps the person's password when they join first", async () => {
    const { person, accept, setPassword, enter } = await joining();
    expect(statuses(await callWhileLocked(world, holdPerson(person), accept, setPassword))).toEqual([
      200, 409,
    ]);
    expect((await enter()).statusCode).toBe(401);
  });

  it('fails with a session that the new password has ended', async () => {
    const { person, accept, setPassword, enter } = await joining();
    expect(statuses(await callWhileLocked(world, holdPerson(person), setPassword, accept))).toEqual([
      200, 401,
    ]);
    expect((await enter()).statusCode).toBe(401);
  });

  it("keeps the person's password when they become a guest first", async () => {
    const { person, setPassword } = await joining();
    const host = await world.workspace();
    const space = await world.inject({
      method: 'POST',
      url: '/api/v1/docs/spaces',
      headers: host.bearer,
      payload: { name: 'Handbook' },
    });
    // Known here as a past guest, so that an admin can grant access without an invitation.
    await world.db
      .insertInto('past_guests')
      .values({ brand_id: host.brand.brand_id, user_id: person.user_id })
      .execute();
    const grantAccess = () =>
      world.inject({
        method: 'PUT',
        url: `/api/v1/docs/spaces/${space.json().space_id}/guests/${person.user_id}`,
        headers: host.bearer,
        payload: { role: 'viewer' },
      });
    expect(statuses(await callWhileLocked(world, holdPerson(person), grantAccess, setPassword))).toEqual([
      200, 409,
    ]);
  });
});
