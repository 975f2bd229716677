import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '../../../../tests/support/accounts.js';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { type Signing, startForgingProvider } from '../../../../tests/support/forging-provider.js';

let provider: Awaited<ReturnType<typeof startForgingProvider>>;
let world: World;
let accounts: ReturnType<typeof accountsOf>;

beforeAll(async () => {
  provider = await startForgingProvider('http://guildhall.test/api/v1/auth/oidc/callback');
  world = await startTestApp({ env: { ...provider.env, OIDC_DOMAINS: 'listed.test' } });
  accounts = accountsOf(world);
});
afterAll(async () => {
  await world.stop();
  await provider.stop();
});

async function signIn(email: string, signing: Signing) {
  const begun = await world.inject({ url: '/api/v1/auth/oidc/start' });
  const claims = { sub: `subject of ${email}`, email, email_verified: true, name: 'Grace Provided' };
  const back = provider.visit(String(begun.headers.location), claims, signing);
  const cookie = `guildhall_oidc=${accounts.cookiesOf(begun)['guildhall_oidc']}`;
  return world.inject({ url: back.pathname + back.search, headers: { cookie } });
}

describe('ID token signature', () => {
  it("opens a session when it was made with the provider's key", async () => {
    const email = 'honest@listed.test';
    await world.member(await world.brand(), { person: await world.person({ email }) });
    const answer = await signIn(email, 'own key');
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/']);
    expect(accounts.cookiesOf(answer)).toHaveProperty('guildhall_session');
  });

  it.each<Signing>(['foreign key', 'foreign key without its id', 'none', 'client secret'])(
    'is rejected when it was made with: %s',
    async (signing) => {
      const email = `${signing.replaceAll(' ', '-')}@listed.test`;
      const victim = await world.member(await world.brand(), { person: await world.person({ email }) });
      const answer = await signIn(email, signing);
      expect([answer.statusCode, answer.headers.location]).toEqual([302, '/sign-in?fault=oidc_refused']);
      expect(accounts.cookiesOf(answer)).not.toHaveProperty('guildhall_session');
      const linked = world.db.selectFrom('oidc_accounts').where('user_id', '=', victim.user_id).selectAll();
      expect(await linked.execute()).toEqual([]);
    },
  );
});
