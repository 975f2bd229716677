import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, answered } from '../../../../tests/support/accounts.js';
import { PASSWORD, type TestPerson } from '../../../../tests/support/app.js';
import { startTestProvider, type TestProvider } from '../../../../tests/support/oidc.js';
import { type SettingsWorld, startSettingsWorld } from '../../../../tests/support/settings-world.js';

const MINUTE = 60;
let provider: TestProvider;
let world: SettingsWorld;
let accounts: ReturnType<typeof accountsOf>;
let people = 0;

beforeAll(async () => {
  provider = await startTestProvider('http://guildhall.test/api/v1/auth/oidc/callback');
  world = await startSettingsWorld({ ...provider.env, OIDC_DOMAINS: 'listed.test' });
  accounts = accountsOf(world);
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
});

async function visit(email: string) {
  const begun = await world.inject({ url: '/api/v1/auth/oidc/start' });
  const who = { sub: `subject of ${email}`, email, email_verified: true, name: 'Pia Provided' };
  const back = await provider.visit(String(begun.headers.location), who);
  const cookie = `guildhall_oidc=${accounts.cookiesOf(begun)['guildhall_oidc']}`;
  return world.inject({ url: back.pathname + back.search, headers: { cookie } });
}

const sessionOf = (answer: { headers: Record<string, unknown> }) => ({
  cookie: `guildhall_session=${accounts.cookiesOf(answer)['guildhall_session']}`,
});

/** A member without a password who has just signed in at the provider. */
async function withoutPassword(): Promise<{ person: TestPerson; session: { cookie: string } }> {
  people += 1;
  const email = `provided${people}@listed.test`;
  const wish = { email, full_name: `Pia ${people}`, password: null };
  const person = await world.operator<TestPerson>('POST', '/users', wish);
  await world.member(await world.brand(), { person });
  return { person, session: sessionOf(await visit(email)) };
}

const askForCode = (session: object) => accounts.ask('POST', '/me/proof', undefined, { ...session });
const erase = (session: object, body: object) => accounts.ask('DELETE', '/me', body, { ...session });
const removeTotp = (session: object, body: object) =>
  accounts.ask('DELETE', '/me/mfa/totp', body, { ...session });
const mailedCode = async ({ email }: TestPerson): Promise<string> => {
  const letters = (await world.outbox()).filter((letter) => letter.includes(`To: ${email}`));
  return /Your code is\s+(\d{8})/.exec(letters.at(-1)!)![1]!;
};
const WRONG = [400, { detail: 'This code is wrong, has expired or was used before' }];
const NEEDED = [
  422,
  { detail: 'code is required; POST /api/v1/me/proof mails you one, or sign in at your provider again' },
];

describe('Recent sign-in at the provider', () => {
  it('replaces the password of a person without one for five minutes', async () => {
    const { person, session } = await withoutPassword();
    await accounts.setUpTotp(session.cookie);
    await world.advance(4 * MINUTE + 1);
    expect(answered(await removeTotp(session, {}))).toEqual(NEEDED);
    expect(answered(await erase(session, {}))).toEqual(NEEDED);
    const challenge = String((await visit(person.email)).headers.location).split('challenge=')[1];
    expect(challenge).toBeDefined();
  });

  it('allows erasing the account', async () => {
    const { person, session } = await withoutPassword();
    await world.advance(5 * MINUTE - 1);
    expect((await erase(session, {})).statusCode).toBe(202);
    await world.runJob('erase');
    const { rows } = await world.database.pool.query('select full_name from users where user_id = $1', [
      person.user_id,
    ]);
    expect(rows).toEqual([{ full_name: 'Former member' }]);
  });

  it('counts after an authenticator code and after switching the workspace', async () => {
    const { person, session } = await withoutPassword();
    const second = await world.brand();
    await world.member(second, { person });
    const { secret } = await accounts.setUpTotp(session.cookie);
    await world.advance(10 * MINUTE);
    const challenge = String((await visit(person.email)).headers.location).split('challenge=')[1];
    const finished = await accounts.ask('POST', '/auth/mfa', { challenge, code: accounts.codeOf(secret) });
    expect(finished.statusCode).toBe(200);
    const switched = await accounts.ask(
      'POST',
      '/auth/switch',
      { brand_id: second.brand_id },
      sessionOf(finished),
    );
    expect((await removeTotp(sessionOf(switched), {})).statusCode).toBe(204);
  });

  it('does not replace an existing password', async () => {
    const email = `both${++people}@listed.test`;
    await world.member(await world.brand(), { person: await world.person({ email }) });
    const session = sessionOf(await visit(email));
    expect(answered(await erase(session, {}))).toEqual([422, { detail: 'password is required' }]);
    expect((await erase(session, { code: '12345678' })).statusCode).toBe(422);
    expect((await erase(session, { password: PASSWORD })).statusCode).toBe(202);
  });
});

describe('POST /api/v1/me/proof', () => {
  it('mails a code that replaces the password once', async () => {
    const { person, session } = await withoutPassword();
    await accounts.setUpTotp(session.cookie);
    await world.advance(10 * MINUTE);
    expect(answered(await askForCode(session))).toEqual([202, { status: 'accepted' }]);
    const code = await mailedCode(person);
    expect(answered(await removeTotp(session, { code: '00000000' === code ? '1' : '00000000' }))).toEqual(
      WRONG,
    );
    expect((await removeTotp(session, { code: `${code.slice(0, 4)} ${code.slice(4)}` })).statusCode).toBe(
      204,
    );
    expect(answered(await erase(session, { code }))).toEqual(WRONG);
    await askForCode(session);
    expect((await erase(session, { code: await mailedCode(person) })).statusCode).toBe(202);
  });

  it('stores the code encrypted; it ends after ten minutes, after five wrong attempts and with the next code', async () => {
    const [{ person, session }, other] = [await withoutPassword(), await withoutPassword()];
    await world.advance(10 * MINUTE);
    await askForCode(session);
    const late = await mailedCode(person);
    const { rows } = await world.database.pool.query('select sealed_code from proof_codes');
    expect(JSON.stringify(rows)).not.toContain(late);
    expect(answered(await erase(other.session, { code: late }))).toEqual(WRONG);
    await world.advance(10 * MINUTE);
    expect(answered(await erase(session, { code: late }))).toEqual(WRONG);

    await askForCode(session);
    const guessed = await mailedCode(person);
    for (let time = 0; time < 5; time += 1)
      expect(answered(await erase(session, { code: 'wrong' }))).toEqual(WRONG);
    expect(answered(await erase(session, { code: guessed }))).toEqual(WRONG);

    await askForCode(session);
    const before = await mailedCode(person);
    await askForCode(session);
    const now = await mailedCode(person);
    if (now !== before) expect(answered(await erase(session, { code: before }))).toEqual(WRONG);
    expect((await erase(session, { code: now })).statusCode).toBe(202);
  });

  it('counts wrong codes as failed sign-ins and returns 429 after ten', async () => {
    const { session } = await withoutPassword();
    for (let time = 0; time < 10; time += 1) await erase(session, { code: 'wrong' });
    expect((await erase(session, { code: 'wrong' })).statusCode).toBe(429);
  });

  it('serves people without a password, five times in 15 minutes, and only with a session', async () => {
    const home = await world.workspace();
    expect(answered(await askForCode({ cookie: home.cookie }))).toEqual([
      409,
      { detail: 'You have a password, which is asked for instead of a code' },
    ]);
    expect((await askForCode(home.bearer)).statusCode).toBe(401);
    const { session } = await withoutPassword();
    for (let time = 0; time < 5; time += 1) expect((await askForCode(session)).statusCode).toBe(202);
    const refused = await askForCode(session);
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  });
});

describe('DELETE /api/v1/admin/users/{user_id}/mfa', () => {
  it('removes a lost factor, records it in the audit, mails the person and ends sessions and challenges', async () => {
    const home = await world.workspace();
    const { secret, recoveryCodes } = await accounts.setUpTotp(home.cookie);
    const challenge = await accounts.challenge(home.admin);
    const path = `/users/${home.admin.user_id}/mfa`;
    await world.operator('DELETE', path);
    expect((await accounts.ask('GET', '/me', undefined, { cookie: home.cookie })).statusCode).toBe(401);
    for (const code of [accounts.codeOf(secret), recoveryCodes[0]])
      expect(answered(await accounts.ask('POST', '/auth/mfa', { challenge, code }))).toEqual([
        401,
        { detail: 'This sign-in has ended; sign in again' },
      ]);
    expect((await accounts.login(home.admin.email)).json()).toMatchObject({ role: 'admin' });
    expect((await accounts.ask('GET', '/me', undefined, home.bearer)).json().mfa).toEqual({
      totp: false,
      recovery_codes_left: 0,
    });
    const entry = (await accounts.audit(home.brand.brand_id)).find(({ action }) => action === 'totp.removed');
    expect(entry).toMatchObject({ subject: `user:${home.admin.user_id}`, actor_user_id: null });
    const letters = (await world.outbox()).filter((letter) => letter.includes(`To: ${home.admin.email}`));
    expect(letters.at(-1)).toContain('Two-factor sign-in was removed');
    await expect(world.operator('DELETE', path)).rejects.toThrow('404');
    for (const id of ['999999', 'abc'])
      await expect(world.operator('DELETE', `/users/${id}/mfa`)).rejects.toThrow('404');
    expect((await accounts.ask('DELETE', `/admin${path}`, undefined, home.bearer)).statusCode).toBe(401);
  });
});

describe('Open challenges after a factor was removed', () => {
  it('stay ended, even when another factor was set up meanwhile', async () => {
    const home = await world.workspace();
    await accounts.setUpTotp(home.cookie);
    const challenge = await accounts.challenge(home.admin);
    const gone = await removeTotp({ cookie: home.cookie }, { password: PASSWORD });
    expect(gone.statusCode).toBe(204);
    const { secret } = await accounts.setUpTotp(home.cookie);
    expect(
      answered(await accounts.ask('POST', '/auth/mfa', { challenge, code: accounts.codeOf(secret) })),
    ).toEqual([401, { detail: 'This sign-in has ended; sign in again' }]);
  });
});
