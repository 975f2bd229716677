import { TOTP } from 'otpauth';
import { PASSWORD, type TestPerson, type World } from './app.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export function accountsOf(world: World) {
  const ask = (method: Method, path: string, payload?: object, headers: Record<string, string> = {}) =>
    world.inject({ method, url: `/api/v1${path}`, payload, headers });

  const accounts = {
    ask,

    login: (email: string, password = PASSWORD, headers: Record<string, string> = {}, address?: string) =>
      world.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email, password },
        headers,
        ...(address && { remoteAddress: address }),
      }),

    cookiesOf: (answer: { headers: Record<string, unknown> }): Record<string, string> =>
      Object.fromEntries(
        [answer.headers['set-cookie'] ?? []]
          .flat()
          .map((line) => String(line).split(';')[0]!.split(/=(.*)/s)),
      ),

    /** The TOTP code of this many 30 s steps from now. */
    codeOf: (secret: string, steps = 0): string =>
      new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() + steps * 30_000 }),

    /** Sets up two-factor sign-in, then moves the clock so that the used code does not count as a replay. */
    async setUpTotp(cookie: string): Promise<{ secret: string; recoveryCodes: string[] }> {
      const { secret } = (await ask('POST', '/me/mfa/totp', undefined, { cookie })).json();
      const code = accounts.codeOf(secret);
      const confirmed = await ask('POST', '/me/mfa/totp/confirm', { code }, { cookie });
      if (confirmed.statusCode !== 200) throw new Error(`confirm: ${confirmed.statusCode} ${confirmed.body}`);
      await world.advance(60);
      return { secret, recoveryCodes: confirmed.json().recovery_codes };
    },

    async challenge(person: TestPerson): Promise<string> {
      const answer = (await accounts.login(person.email)).json();
      if (!answer.mfa_required) throw new Error('no code was asked for');
      return answer.challenge;
    },

    audit: async (brandId: number) =>
      world.db
        .selectFrom('audit_log')
        .select(['action', 'subject', 'actor_user_id', 'address', 'credential', 'details'])
        .where('brand_id', '=', brandId)
        .orderBy('audit_id', 'desc')
        .execute(),
  };
  return accounts;
}

export const answered = (response: { statusCode: number; json(): unknown }) => [
  response.statusCode,
  response.json(),
];
