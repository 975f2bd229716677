import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, answered } from '../../../../tests/support/accounts.js';
import { type SettingsWorld, startSettingsWorld } from '../../../../tests/support/settings-world.js';
import { hashNewPassword } from '../people/password-hash.js';

let world: SettingsWorld;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  world = await startSettingsWorld();
  accounts = accountsOf(world);
});
afterAll(() => world.stop());

const TOO_EASY = [422, { detail: 'This password is too easy to guess' }];
const EASY = ['password', '12345678', 'PassWord1', 'qwertyuiop', 'ｐａｓｓｗｏｒｄ'];
const reset = (token: string, password: string) =>
  accounts.ask('POST', '/auth/reset-password', { token, password });
const mayor = { email: 'Ada.Lindqvist@Acme.example', full_name: 'Ada Lindqvist-Berg' };

describe('Password rules', () => {
  const isEasy = (password: string) =>
    hashNewPassword(password, mayor).then(
      () => false,
      () => true,
    );

  it.each([
    ...EASY,
    'ada.lindqvist@acme.example',
    'ADA.LINDQVIST@ACME.EXAMPLE',
    'ada.lindqvist',
    'AdaLindqvist',
    'Ada Lindqvist-Berg',
    'ada lindqvist berg',
    'lindqvist-berg',
  ])('rejects %s as too easy to guess', async (password) => {
    expect(await isEasy(password)).toBe(true);
  });

  it.each([
    'correct horse battery',
    'guildhall-demo',
    '!!§$%&/()=',
    '        ',
    'a\nb\nc\nd\npassword',
    'ädälindqvist7',
  ])('accepts %j', async (password) => {
    expect(await isEasy(password)).toBe(false);
  });

  it('apply wherever a password is set, without using up the reset link', async () => {
    const home = await world.workspace();
    const member = await world.member(home.brand);
    const token = await world.app.identity.createPasswordReset(world.db, member.user_id);
    for (const password of [...EASY, member.email]) {
      expect(answered(await reset(token, password))).toEqual(TOO_EASY);
      const path = `/members/${member.user_id}/set-password`;
      expect(await world.ask(home, 'POST', path, { password })).toEqual(TOO_EASY);
    }
    const user = { email: 'fresh@example.test', full_name: 'Fresh Person', password: 'Fresh Person' };
    const made = await world.inject({
      method: 'POST',
      url: '/api/v1/admin/users',
      headers: { 'x-admin-key': 'test-admin-key' },
      payload: user,
    });
    expect(answered(made)).toEqual(TOO_EASY);
    expect((await reset(token, 'a much better one')).statusCode).toBe(200);
  });

  it('require 8 to 128 characters of any kind', async () => {
    const { admin } = await world.workspace();
    const token = () => world.app.identity.createPasswordReset(world.db, admin.user_id);
    expect((await reset(await token(), '1234567')).statusCode).toBe(422);
    expect((await reset(await token(), '𝒳'.repeat(129))).statusCode).toBe(422);
    expect((await reset(await token(), '𝒳'.repeat(128))).statusCode).toBe(200);
    expect((await reset(await token(), 'ü§ 9\n\t🦉x')).statusCode).toBe(200);
    expect((await accounts.login(admin.email, 'ü§ 9\n\t🦉x')).statusCode).toBe(200);
  });

  it('do not count a rejected password as a failed sign-in', async () => {
    const { admin } = await world.workspace();
    const token = await world.app.identity.createPasswordReset(world.db, admin.user_id);
    for (let time = 0; time < 120; time += 1) expect((await reset(token, 'password')).statusCode).toBe(422);
    expect((await reset(token, 'a much better one')).statusCode).toBe(200);
  });
});

describe('POST /api/v1/auth/forgot-password', () => {
  const forgot = (email: string) => accounts.ask('POST', '/auth/forgot-password', { email });
  const letters = async (email: string) =>
    (await world.outbox()).filter((letter) => letter.toLowerCase().includes(`to: ${email.toLowerCase()}`));

  it("always returns 202 and mails the reset link only to the account's owner", async () => {
    const { admin } = await world.workspace();
    const nobody = await world.workspace();
    const passwordless = await world.person({ password: null });
    for (const email of [admin.email.toUpperCase(), 'nobody-here@example.test', passwordless.email])
      expect(answered(await forgot(email))).toEqual([202, { success: true }]);
    expect(await world.runJob('password-mail')).toMatchObject({ failed: 0 });
    const [letter, ...more] = await letters(admin.email);
    expect(more).toEqual([]);
    expect(await letters(passwordless.email)).toEqual([]);
    expect(await letters(nobody.admin.email)).toEqual([]);
    const token = /http:\/\/guildhall\.test\/reset-password\?token=([\w-]+)/.exec(letter!)![1]!;
    expect((await reset(token, 'a much better one')).statusCode).toBe(200);
    expect((await accounts.login(admin.email, 'a much better one')).statusCode).toBe(200);
  });

  it('sends the mail in a background job after the response', async () => {
    const { admin } = await world.workspace();
    await forgot(admin.email);
    expect(await letters(admin.email)).toEqual([]);
  });

  it('returns 202 without a mail when the sign-in limit is reached', async () => {
    const { admin } = await world.workspace();
    for (let time = 0; time < 10; time += 1) await accounts.login(admin.email, 'not the password');
    expect(answered(await forgot(admin.email))).toEqual([202, { success: true }]);
    await world.runJob('password-mail');
    expect(await letters(admin.email)).toEqual([]);
    await world.advance(15 * 60 + 1);
    await forgot(admin.email);
    await world.runJob('password-mail');
    expect(await letters(admin.email)).toHaveLength(1);
  });

  it('sends at most ten mails to an account in 15 minutes and does not lock the account', async () => {
    const { admin } = await world.workspace();
    for (let time = 0; time < 12; time += 1) expect((await forgot(admin.email)).statusCode).toBe(202);
    await world.runJob('password-mail');
    expect(await letters(admin.email)).toHaveLength(10);
    expect((await accounts.login(admin.email)).statusCode).toBe(200);
  });

  it('does not delay a real request behind many requests with unknown names', async () => {
    const { admin } = await world.workspace();
    const at = world.clock.now();
    const names = Array.from({ length: 250 }, (_, number) => ({
      account_name: `nobody${number}@example.test`,
      address: null,
      requested_at: at,
    }));
    await world.db.insertInto('password_reset_requests').values(names).execute();
    await forgot(admin.email);
    expect(await world.runJob('password-mail')).toMatchObject({ processed: 251, failed: 0 });
    expect(await letters(admin.email)).toHaveLength(1);
  });

  it('retries a failed mail and gives up after an hour', async () => {
    const { admin } = await world.workspace();
    const tried: string[] = [];
    const { sendResetMails } = world.app.identity.forgotten;
    const fail = () =>
      sendResetMails(async ({ email }) => {
        tried.push(email);
        throw new Error('no relay');
      });
    await forgot(admin.email);
    expect(await fail()).toEqual({ processed: 0, failed: 1 });
    expect(await fail()).toEqual({ processed: 0, failed: 0 });
    await world.advance(5 * 60);
    expect(await fail()).toEqual({ processed: 0, failed: 1 });
    await world.advance(60 * 60);
    expect(await fail()).toEqual({ processed: 0, failed: 0 });
    expect(tried).toEqual([admin.email, admin.email]);
  });
});
