import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '../../../../tests/support/accounts.js';
import { startTestApp, type TestPerson, type World } from '../../../../tests/support/app.js';
import { type ProviderPerson, startTestProvider, type TestProvider } from '../../../../tests/support/oidc.js';

const CALLBACK = '/api/v1/auth/oidc/callback';
let provider: TestProvider;
let world: World;
let accounts: ReturnType<typeof accountsOf>;
const others: World[] = [];
let people = 0;

beforeAll(async () => {
  provider = await startTestProvider(`http://guildhall.test${CALLBACK}`);
  world = await startTestApp({ env: { ...provider.env, OIDC_DOMAINS: 'Listed.test, second.test' } });
  accounts = accountsOf(world);
});
afterEach(async () => {
  for (const each of others.splice(0)) await each.stop();
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
});

const person = (fields: Partial<ProviderPerson> = {}): ProviderPerson => {
  people += 1;
  return {
    sub: `subject-${people}`,
    email: `oidc${people}@listed.test`,
    email_verified: true,
    name: 'Grace Provided',
    ...fields,
  };
};

const begin = (node = world) => node.inject({ url: '/api/v1/auth/oidc/start' });
const cookieOf = (answer: { headers: Record<string, unknown> }, name: string) =>
  `${name}=${accounts.cookiesOf(answer)[name]}`;

async function signIn(who: ProviderPerson | undefined, node = world) {
  const begun = await begin(node);
  expect(begun.statusCode).toBe(302);
  const back = await provider.visit(String(begun.headers.location), who);
  const cookie = cookieOf(begun, 'guildhall_oidc');
  return node.inject({ url: back.pathname + back.search, headers: { cookie } });
}

async function whoIs(answer: Awaited<ReturnType<typeof signIn>>, node = world) {
  expect([answer.statusCode, answer.headers.location]).toEqual([302, '/']);
  const cookie = cookieOf(answer, 'guildhall_session');
  return (await node.inject({ url: '/api/v1/me', headers: { cookie } })).json();
}

function expectFault(answer: Awaited<ReturnType<typeof signIn>>, fault: string) {
  expect([answer.statusCode, answer.headers.location]).toEqual([302, `/sign-in?fault=${fault}`]);
  expect(accounts.cookiesOf(answer)).not.toHaveProperty('guildhall_session');
}

describe('/api/v1/auth/oidc/start', () => {
  it('redirects to the provider with code flow, PKCE, state and nonce, which only the browser keeps', async () => {
    const begun = await begin();
    const url = new URL(String(begun.headers.location));
    expect(url.origin).toBe(provider.env.OIDC_ISSUER);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'guildhall',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `http://guildhall.test${CALLBACK}`,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{20,}$/),
      nonce: expect.stringMatching(/^[\w-]{20,}$/),
    });
    expect(begun.headers['set-cookie']).toMatch(
      /^guildhall_oidc=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(begun.headers['set-cookie']).not.toContain(url.searchParams.get('state'));
  });

  it('returns 404 without a configured provider, and so does the callback', async () => {
    const bare = await startTestApp();
    others.push(bare);
    for (const url of ['/api/v1/auth/oidc/start', CALLBACK])
      expect((await bare.inject({ url })).json()).toEqual({ detail: 'Not found' });
  });

  it('redirects to the sign-in page when the provider is unreachable', async () => {
    const lost = await startTestApp({ env: { ...provider.env, OIDC_ISSUER: 'http://127.0.0.1:1' } });
    others.push(lost);
    expectFault(await begin(lost), 'oidc_unavailable');
  });
});

describe('/api/v1/auth/oidc/callback', () => {
  it('links an existing person by email if their domain is listed, and then finds them by subject', async () => {
    const { brand } = await world.workspace();
    const who = person();
    const known = await world.person({ email: who.email!.toUpperCase() });
    await world.member(brand, { person: known });
    const me = await whoIs(await signIn(who));
    expect(me).toMatchObject({
      user: { user_id: known.user_id, full_name: known.full_name },
      brand: { brand_id: brand.brand_id },
      sign_in: ['password', 'oidc'],
    });
    const renamed = { ...who, email: 'another-address@elsewhere.test' };
    expect((await whoIs(await signIn(renamed))).user.user_id).toBe(known.user_id);
  });

  it('links no second subject to a linked account, also for concurrent sign-ins', async () => {
    const { brand } = await world.workspace();
    const who = person();
    const known = await world.member(brand, { person: await world.person({ email: who.email }) });
    expect((await whoIs(await signIn(who))).user.user_id).toBe(known.user_id);
    expectFault(await signIn({ ...who, sub: `second-${who.sub}` }), 'oidc_unknown_person');
    expect((await whoIs(await signIn(who))).user.user_id).toBe(known.user_id);

    const contested = person();
    await world.member(brand, { person: await world.person({ email: contested.email }) });
    const answers: Awaited<ReturnType<typeof signIn>>[] = [];
    const backs = [];
    for (const sub of [contested.sub, `second-${contested.sub}`, contested.sub]) {
      const begun = await begin();
      const back = await provider.visit(String(begun.headers.location), { ...contested, sub });
      backs.push({ url: back.pathname + back.search, cookie: cookieOf(begun, 'guildhall_oidc') });
    }
    answers.push(
      ...(await Promise.all(backs.map(({ url, cookie }) => world.inject({ url, headers: { cookie } })))),
    );
    const subjects = world.db
      .selectFrom('oidc_accounts')
      .select('subject')
      .where('subject', 'like', `%${contested.sub}`);
    expect(await subjects.execute()).toHaveLength(1);
    expect(answers.map(({ headers }) => headers.location)).toContain('/sign-in?fault=oidc_unknown_person');
  });

  it('does not link an existing person of another domain without a password, invited or not', async () => {
    const who = person({ email: 'made-by-the-operator@elsewhere.test' });
    const made = await world.operator<TestPerson>('POST', '/users', {
      email: who.email,
      full_name: 'Made by the operator',
    });
    await world.member(await world.brand(), { person: made, role: 'admin' });
    expectFault(await signIn(who), 'oidc_unknown_person');
    const other = await world.workspace();
    const wish = { email: who.email, role: 'member' };
    const path = `/brands/${other.brand.brand_id}/invitations`;
    expect((await accounts.ask('POST', path, wish, other.bearer)).statusCode).toBe(201);
    expectFault(await signIn(who), 'oidc_unknown_person');
  });

  it.each([
    ['straße.test', 'anna@strasse.test', 'anna@straße.test'],
    ['strasse.test', 'berta@straße.test', 'berta@strasse.test'],
    ['listed.test', 'victim@listed.test', 'ｖictim@listed.test'],
    ['listed.test', 'kelvin@listed.test', '\u212Aelvin@listed.test'],
  ])(
    'with %s listed does not link %s when the provider sends the similar address %s',
    async (domain, email, given) => {
      const { brand } = await world.workspace();
      const env = { ...provider.env, OIDC_DOMAINS: domain };
      const node = await startTestApp({ env, database: world.database });
      others.push(node);
      const known = await world.member(brand, { person: await world.person({ email }) });
      expectFault(await signIn(person({ email: given }), node), 'oidc_unknown_person');
      const own = await startTestApp({
        env: { ...provider.env, OIDC_DOMAINS: email.split('@')[1]! },
        database: world.database,
      });
      others.push(own);
      expect((await whoIs(await signIn(person({ email }), own), own)).user.user_id).toBe(known.user_id);
    },
  );

  it.each([
    ['straße.test', 'carl@straße.test', 'Carl@xn--strae-oqa.test'],
    ['XN--STRAE-OQA.test', 'dora@xn--strae-oqa.test', 'dora@straße.test'],
  ])(
    'with %s listed links %s when the provider sends the equivalent address %s',
    async (domain, email, given) => {
      const { brand } = await world.workspace();
      const node = await startTestApp({
        env: { ...provider.env, OIDC_DOMAINS: domain },
        database: world.database,
      });
      others.push(node);
      const known = await world.member(brand, { person: await world.person({ email }) });
      expect((await whoIs(await signIn(person({ email: given }), node), node)).user.user_id).toBe(
        known.user_id,
      );
    },
  );

  it('ignores a domain that differs from a listed one only in ß and ss', async () => {
    const { brand } = await world.workspace();
    const env = { ...provider.env, OIDC_DOMAINS: 'strasse.test', OIDC_AUTO_JOIN: String(brand.brand_id) };
    const node = await startTestApp({ env, database: world.database });
    others.push(node);
    expectFault(await signIn(person({ email: 'emil@straße.test' }), node), 'oidc_unknown_person');
  });

  it('accepts an invitation only for its exact address', async () => {
    const { brand, bearer } = await world.workspace();
    const path = `/brands/${brand.brand_id}/invitations`;
    const wish = { email: 'grete@strasse.elsewhere.test', role: 'admin' };
    expect((await accounts.ask('POST', path, wish, bearer)).statusCode).toBe(201);
    expectFault(await signIn(person({ email: 'grete@straße.elsewhere.test' })), 'oidc_unknown_person');
    expect(await whoIs(await signIn(person({ email: wish.email })))).toMatchObject({ role: 'admin' });
  });

  it('trusts only a verified email', async () => {
    const { brand } = await world.workspace();
    for (const fields of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
      const who = person();
      await world.member(brand, { person: await world.person({ email: who.email }) });
      expectFault(await signIn({ ...who, ...fields }), 'oidc_email_not_verified');
    }
  });

  it('creates a new person of any domain only with an invitation', async () => {
    const { brand, bearer } = await world.workspace();
    const who = person({ email: `Invited${people}@elsewhere.test`, name: 'Grace\r\nBcc: x\u2028Provided' });
    expectFault(await signIn(who), 'oidc_unknown_person');
    const invited = await world.inject({
      method: 'POST',
      url: `/api/v1/brands/${brand.brand_id}/invitations`,
      headers: bearer,
      payload: { email: who.email!.toLowerCase(), role: 'admin' },
    });
    expect(invited.statusCode).toBe(201);
    expect(await whoIs(await signIn(who))).toMatchObject({
      user: { email: who.email, full_name: 'Grace Bcc: x Provided', kind: 'person' },
      brand: { brand_id: brand.brand_id },
      role: 'admin',
      sign_in: ['oidc'],
    });
    // A listed domain alone does not create a person.
    expectFault(await signIn(person()), 'oidc_unknown_person');
  });

  it('makes new people of listed domains members of the workspace in OIDC_AUTO_JOIN', async () => {
    const { brand } = await world.workspace();
    const env = { ...provider.env, OIDC_DOMAINS: 'listed.test', OIDC_AUTO_JOIN: String(brand.brand_id) };
    const open = await startTestApp({ env, database: world.database });
    others.push(open);
    const who = person();
    expect(await whoIs(await signIn(who, open), open)).toMatchObject({
      brand: { brand_id: brand.brand_id },
      role: 'member',
    });
    expectFault(await signIn(person({ email: `x${people}@elsewhere.test` }), open), 'oidc_unknown_person');

    const { user } = await whoIs(await signIn(who, open), open);
    await open.operator('DELETE', `/brands/${brand.brand_id}/members/${user.user_id}`);
    expectFault(await signIn(who, open), 'oidc_no_workspace');
  });

  it('opens no session for a known person without a workspace', async () => {
    const who = person();
    await world.person({ email: who.email });
    expectFault(await signIn(who), 'oidc_no_workspace');
  });

  it('asks a person with TOTP for a code', async () => {
    const home = await world.workspace();
    const who = person();
    const known = await world.member(home.brand, { person: await world.person({ email: who.email }) });
    const { secret } = await accounts.setUpTotp(await world.signIn(known));
    const answer = await signIn(who);
    const [, challenge] = /^\/sign-in#challenge=([\w-]+)$/.exec(String(answer.headers.location))!;
    expect(accounts.cookiesOf(answer)).not.toHaveProperty('guildhall_session');
    const done = await accounts.ask('POST', '/auth/mfa', { challenge, code: accounts.codeOf(secret) });
    expect(done.json()).toMatchObject({ user: { user_id: known.user_id } });
  });

  it('rejects a callback that was started in another browser, is too old, altered or used, in our own words', async () => {
    const { brand } = await world.workspace();
    const who = person();
    await world.member(brand, { person: await world.person({ email: who.email }) });
    const ask = (url: URL, cookie?: string) =>
      world.inject({ url: url.pathname + url.search, headers: cookie ? { cookie } : {} });
    const fresh = async () => {
      const begun = await begin();
      return {
        back: await provider.visit(String(begun.headers.location), who),
        cookie: cookieOf(begun, 'guildhall_oidc'),
      };
    };
    const [mine, theirs, used, old] = [await fresh(), await fresh(), await fresh(), await fresh()];
    expectFault(await ask(mine.back), 'oidc_refused');
    expectFault(await ask(mine.back, theirs.cookie), 'oidc_refused');
    expectFault(await ask(mine.back, 'guildhall_oidc=garbage'), 'oidc_refused');
    const altered = new URL(mine.back);
    altered.searchParams.set('code', 'made-up');
    expectFault(await ask(altered, mine.cookie), 'oidc_refused');
    const stateless = new URL(mine.back);
    stateless.searchParams.delete('state');
    expectFault(await ask(stateless, mine.cookie), 'oidc_refused');

    await whoIs(await ask(used.back, used.cookie));
    expectFault(await ask(used.back, used.cookie), 'oidc_refused');
    await world.advance(601);
    expectFault(await ask(old.back, old.cookie), 'oidc_refused');

    const denied = await signIn(undefined);
    expectFault(denied, 'oidc_refused');
    expect(denied.body + JSON.stringify(denied.headers)).not.toContain('words of the provider');
  });

  it('an invitation link cannot take over an account that has only a provider sign-in', async () => {
    const { brand, bearer } = await world.workspace();
    const another = await world.workspace();
    const who = person({ email: `sso${people}@elsewhere.test` });
    const invite = (brandId: number, headers: Record<string, string>) =>
      world.inject({
        method: 'POST',
        url: `/api/v1/brands/${brandId}/invitations`,
        headers,
        payload: { email: who.email, role: 'member' },
      });
    await invite(brand.brand_id, bearer);
    await whoIs(await signIn(who));
    await invite(another.brand.brand_id, another.bearer);
    const folder = join(world.config.dataDir, 'outbox');
    const letters = await Promise.all(
      (await readdir(folder)).sort().map((name) => readFile(join(folder, name), 'utf8')),
    );
    const token = /\/invitations\/([\w-]+)/.exec(letters.at(-1)!)![1];
    const body = { full_name: 'Somebody Else', password: 'correct horse battery' };
    expect((await accounts.ask('POST', `/invitations/${token}/accept`, body)).statusCode).toBe(401);
  });
});

describe('Account with only a provider sign-in', () => {
  it('returns the same error for every password as for a wrong one', async () => {
    const { brand, bearer } = await world.workspace();
    const who = person({ email: `only${people}@elsewhere.test` });
    await world.inject({
      method: 'POST',
      url: `/api/v1/brands/${brand.brand_id}/invitations`,
      headers: bearer,
      payload: { email: who.email, role: 'member' },
    });
    await whoIs(await signIn(who));
    const answer = await accounts.login(who.email!, 'any password');
    expect([answer.statusCode, answer.json()]).toEqual([
      401,
      { detail: 'E-mail address or password is wrong' },
    ]);
  });
});
