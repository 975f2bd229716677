import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import sharp from 'sharp';
import { newToken } from '../../src/kernel/secrets.js';
import { ADMIN_KEY, PASSWORD, type World } from '../support/app.js';
import type { TestProvider } from '../support/oidc.js';
import type { Ledger } from './ledger.js';

/** One entry for each way to create, submit or use a secret. */
export const FLOWS: Record<string, (walk: Walk) => Promise<void>> = {
  async 'signing in, wrongly and rightly'({ ledger, home }) {
    const signIn = (email: string, password: string) =>
      ({ method: 'POST', url: '/api/v1/auth/login', payload: { email, password } }) as const;
    const wrong = ledger.know('a wrong password', 'nearly the right password');
    await ledger.ask(signIn(home.admin.email, wrong));
    await ledger.ask(signIn('nobody@example.test', wrong));
    await ledger.ask({
      ...signIn(home.admin.email, wrong),
      payload: `{"email": "x", "password": "${wrong}"`,
    });
    const opened = await ledger.askOnce(signIn(home.admin.email, PASSWORD));
    const cookie = String(opened.headers['set-cookie']).split(';')[0]!;
    ledger.know('a session', cookie.split('=')[1]);
    await ledger.ask({ url: '/api/v1/auth/session', headers: { cookie } }, 200);
    await ledger.ask({ method: 'POST', url: '/api/v1/auth/logout', headers: { cookie } }, 204);
    await ledger.ask({ url: '/api/v1/auth/session', headers: { cookie } }, 401);
  },

  async 'two-factor sign-in, from its secret to a recovery code'({ world, ledger, home }) {
    const person = await world.member(home.brand);
    const cookie = await world.signIn(person, home.brand);
    ledger.know('the session of somebody with two factors', cookie.split('=')[1]);
    const own = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
      ({ method, url: `/api/v1/me${path}`, headers: { cookie }, payload }) as const;
    const secret = ledger.know(
      'the secret of an authenticator',
      (await ledger.askOnce(own('POST', '/mfa/totp'))).json().secret,
    );
    const code = new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() });
    await ledger.ask(own('POST', '/mfa/totp/confirm', { code: 'no code' }), 400);
    const confirmed = await ledger.askOnce(own('POST', '/mfa/totp/confirm', { code }));
    const codes: string[] = confirmed.json().recovery_codes;
    for (const each of codes) {
      ledger.know('a recovery code', each);
      ledger.know('a recovery code without its dashes', each.replaceAll('-', ''));
    }
    await ledger.ask(own('POST', '/mfa/totp'), 409);

    const signIn = { email: person.email, password: PASSWORD };
    const asked = await ledger.askOnce({ method: 'POST', url: '/api/v1/auth/login', payload: signIn });
    const challenge = ledger.know('a challenge', asked.json().challenge);
    const finish = (given: string) =>
      ({ method: 'POST', url: '/api/v1/auth/mfa', payload: { challenge, code: given } }) as const;
    await ledger.ask(finish('no code'), 401);
    const opened = await ledger.askOnce(finish(codes[0]!));
    ledger.know('the session that a code opened', sessionOf(opened));
    await ledger.ask(finish(codes[0]!), 401);
    await ledger.ask(own('GET', ''), 200);
    await ledger.ask(own('GET', '/export'), 200);
    await ledger.ask(own('DELETE', '/mfa/totp', { password: 'nearly the right password' }), 400);
    await ledger.ask(own('DELETE', '/mfa/totp', { password: PASSWORD }), 204);
  },

  async 'a sign-in by a provider'({ world, ledger, home, provider }) {
    if (!provider) throw new Error('This walk has no provider');
    const email = 'walker@listed.test';
    await world.member(home.brand, { person: await world.person({ email }) });
    ledger.know('the secret of the client', provider.secret);
    const begun = await ledger.askOnce({ url: '/api/v1/auth/oidc/start' });
    const cookie = String(begun.headers['set-cookie']).split(';')[0]!;
    ledger.know('what a browser keeps of a begun sign-in', cookie.split('=')[1]);
    const walker = { sub: 'walker', email, email_verified: true, name: 'Walker' };
    const back = await provider.visit(String(begun.headers.location), walker);
    for (const name of ['code', 'state'])
      ledger.know(`the ${name} of a provider`, back.searchParams.get(name) ?? undefined);
    const callback = { url: back.pathname + back.search, headers: { cookie } };
    const opened = await ledger.askOnce(callback);
    const session = ledger.know('the session that a provider opened', sessionOf(opened));
    await ledger.ask(callback, 302);
    await ledger.ask({ url: callback.url }, 302);
    await ledger.ask({ url: '/api/v1/me', headers: { cookie: `guildhall_session=${session}` } }, 200);
  },

  async 'a password reset'({ ledger, home, member, letter }) {
    const url = `/api/v1/brands/${home.brand.brand_id}/members/${member.user_id}/reset-password`;
    await ledger.ask({ method: 'POST', url, headers: home.bearer });
    const token = ledger.know(
      'a reset link',
      /reset-password\?token=([\w-]+)/.exec(await letter())?.[1],
      isLetter,
    );
    const password = ledger.know('a new password', 'the password after the reset');
    await ledger.ask({ url: `/reset-password?token=${token}` });
    const reset = {
      method: 'POST',
      url: '/api/v1/auth/reset-password',
      payload: { token, password },
    } as const;
    await ledger.ask(reset, 200);
    await ledger.ask(reset, 400);
  },

  async 'a password that an admin sets'({ ledger, home, member }) {
    const url = `/api/v1/brands/${home.brand.brand_id}/members/${member.user_id}/set-password`;
    const password = ledger.know('a set password', 'the password an admin chose');
    await ledger.ask(
      { method: 'POST', url, headers: home.bearer, payload: { password, send_email: true } },
      200,
    );
  },

  async 'an invitation'({ world, ledger, home, letter }) {
    const guest = await world.person();
    const board = await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: home.bearer,
      payload: { name: 'For guests' },
    });
    await ledger.ask({
      method: 'PUT',
      url: `/api/v1/board/boards/${board.json().board_id}/guests/${guest.user_id}`,
      headers: home.bearer,
      payload: { role: 'viewer' },
    });
    const url = `/api/v1/brands/${home.brand.brand_id}/guests/${guest.user_id}/make-member`;
    await ledger.ask({ method: 'POST', url, headers: { ...home.bearer, 'idempotency-key': 'invite-once' } });
    const token = ledger.know(
      'an invitation',
      /\/invitations\/([\w-]{20,})/.exec(await letter())?.[1],
      isLetter,
    );
    await ledger.ask({ method: 'POST', url, headers: { ...home.bearer, 'idempotency-key': 'invite-once' } });
    await ledger.ask({ url: `/api/v1/brands/${home.brand.brand_id}/invitations`, headers: home.bearer });
    await ledger.ask({ url: `/invitations/${token}` });
    const cookie = await world.signIn(guest, home.brand);
    ledger.know('the session of a guest', cookie.split('=')[1]);
    const accept = {
      method: 'POST',
      url: `/api/v1/invitations/${token}/accept`,
      headers: { cookie },
      payload: {},
    } as const;
    await ledger.ask(accept, 200);
    await ledger.ask(accept, 400);
  },

  async 'a token, asked for twice with one key'({ ledger, home }) {
    const request = {
      method: 'POST',
      url: '/api/v1/me/tokens',
      headers: { cookie: home.cookie, 'idempotency-key': 'token-once' },
      payload: { name: 'walk', scopes: ['memory:read'] },
    } as const;
    const made = (await ledger.askOnce(request)).json();
    const token = ledger.know('a token of one’s own', made.token);
    await ledger.ask(request, 409);
    await ledger.ask({ url: '/api/v1/me/tokens', headers: { cookie: home.cookie } });
    const headers = { authorization: `Bearer ${token}` };
    await ledger.ask({ url: '/api/v1/me/token', headers }, 200);
    await ledger.ask({ url: `/api/v1/brands/${home.brand.brand_id}/features`, headers });
    await ledger.ask({
      method: 'DELETE',
      url: `/api/v1/me/tokens/${made.token_id}`,
      headers: { cookie: home.cookie },
    });
    await ledger.ask({ url: '/api/v1/me/token', headers });
  },

  async 'a desk, from its order to another token'({ ledger, home }) {
    const order = {
      method: 'POST',
      url: '/api/v1/workstations',
      headers: { cookie: home.cookie, 'idempotency-key': 'desk-once' },
      payload: { name: 'Desk' },
    } as const;
    const ordered = (await ledger.askOnce(order)).json();
    ledger.know('the token of a desk', ordered.pat);
    await ledger.ask(order, 409);
    // The installer is the only answer that contains the token, for the desk that authenticated with it.
    await ledger.askOnce({ url: ordered.install_command.split("'")[1].replace('http://guildhall.test', '') });
    const headers = { authorization: `Bearer ${ordered.pat}` };
    const say = (path: string, payload: object, status = 200) =>
      ledger.ask({ method: 'POST', url: `/api/v1/desk${path}`, headers, payload }, status);
    await say('/hello', { env_id: ordered.workstation_id, hostname: 'h', installation_id: 'i'.repeat(32) });
    await say('/step', {
      step: 'run_installer',
      exit_code: 11,
      message: 'curl: (28) timed out',
    });
    await say('/mesh', { public_key: Buffer.alloc(32, 7).toString('base64') });
    await say('/sidecar', {
      sidecar_url: 'http://127.0.0.1:1',
      version: '0.3.0',
      code_digest: 'a'.repeat(64),
    });
    await say('/heartbeat', {});
    await ledger.ask({
      url: `/api/v1/workstations/${ordered.workstation_id}`,
      headers: { cookie: home.cookie },
    });
    await ledger.ask({
      url: `/api/v1/environments/${ordered.workstation_id}`,
      headers: { cookie: home.cookie },
    });
    const url = `/api/v1/workstations/${ordered.workstation_id}/regenerate-pat`;
    const again = (await ledger.askOnce({ method: 'POST', url, headers: { cookie: home.cookie } })).json();
    ledger.know('the second token of a desk', again.pat);
    await say('/heartbeat', {}, 401);
    await ledger.ask({
      method: 'DELETE',
      url: `/api/v1/workstations/${ordered.workstation_id}`,
      headers: { cookie: home.cookie },
    });
  },

  async 'a deploy key and a repository behind ssh'({ world, ledger, home }) {
    ledger.know('a private key', 'PRIVATE KEY');
    await ledger.ask({ url: `/api/v1/brands/${home.brand.brand_id}/deploy-key`, headers: home.bearer }, 200);
    const password = ledger.know('a password in a repository’s address', 'repository-password');
    for (const url of ['ssh://git@127.0.0.1:1/a.git', `https://me:${password}@git.example.test/a.git`])
      await ledger.ask({
        method: 'POST',
        url: '/api/v1/projects',
        headers: home.bearer,
        payload: { name: 'Code', repository: { url } },
      });
    await world.runJob('project-index');
  },

  async 'pictures, whole and broken'({ ledger, home }) {
    const url = `/api/v1/brands/${home.brand.brand_id}/members/${home.admin.user_id}/photo`;
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const head = Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n');
    const form = Buffer.concat([head, picture, Buffer.from('\r\n--edge--\r\n')]);
    for (const payload of [form, form.subarray(0, 60), Buffer.alloc(0)])
      await ledger.ask({
        method: 'POST',
        url,
        headers: { cookie: home.cookie, 'content-type': 'multipart/form-data; boundary=edge' },
        payload,
      });
  },

  async 'agents by way of MCP'({ ledger, home }) {
    const say = (token: string, method: string, params: object = {}) =>
      ledger.ask({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method, params },
      });
    const client = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    await say(home.token, 'initialize', client);
    await say(home.token, 'tools/list');
    await say(home.token, 'tools/call', { name: 'read_operation', arguments: { name: 'get_credential' } });
    await say(ledger.know('an unknown token', newToken('guild_pat_')), 'tools/list');
  },

  async 'sources and conversations'({ world, ledger, home }) {
    const said = ledger.know('what was said', 'a very private conversation', (place) => place !== 'log');
    const agent = { agent_id: 'walker', kind: 'fact', title: 't', body: said };
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/memory/memories',
      headers: home.bearer,
      payload: agent,
    });
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/memory/conversations',
      headers: home.bearer,
      payload: {
        agent_id: 'walker',
        source_type: 'claude_code',
        external_id: 'one',
        messages: [{ role: 'user', content: said, at: '2026-01-01T00:00:00Z' }],
      },
    });
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/memory/sources',
      headers: home.bearer,
      payload: { agent_id: 'walker', source_type: 'agentboard' },
    });
    await world.runJob('memory-pickup');
  },

  async 'the operator’s key'({ ledger }) {
    const wrong = ledger.know('a wrong admin key', 'nearly-the-admin-key');
    for (const key of [wrong, ADMIN_KEY])
      for (const url of ['/api/v1/admin/brands', '/metrics', '/api/v1/admin/audit', '/api/v1/admin/nowhere'])
        await ledger.ask({ url, headers: { 'x-admin-key': key } });
  },

  async 'secrets where they do not belong'({ ledger, home }) {
    const token = ledger.know('a token in an address', newToken('guild_pat_'));
    const headers = { authorization: home.token, cookie: `${home.cookie}; other=${token}` };
    for (const url of [
      `/nowhere/${token}`,
      `/api/v1/me/token?token=${token}`,
      `/dashboard/${token}`,
      `/%zz${token}`,
    ])
      await ledger.ask({ url, headers });
    await ledger.ask({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: { ...home.bearer, 'content-type': 'application/json' },
      payload: `{"name": "${token}", "${token}": 1`,
    });
  },
};

const sessionOf = (answer: { headers: Record<string, unknown> }) =>
  /guildhall_session=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1];

/** Allows a secret in the mail that delivers it. */
const isLetter = (place: string) => place.endsWith('.eml');

export type Walk = Awaited<ReturnType<typeof beginWalk>>;

export async function beginWalk(world: World, ledger: Ledger, provider?: TestProvider) {
  const home = await world.workspace({ plan: 'enterprise' });
  ledger.know('the password of everybody', PASSWORD);
  ledger.know('the admin key', ADMIN_KEY);
  ledger.know('the first token', home.token);
  ledger.know('the first session', home.cookie.split('=')[1]);
  for (const [name, key] of Object.entries({
    SECRETS_KEY: 'test-secrets-key-of-thirty-two-characters',
    'the key of cursors': 'test-cursor-secret',
  }))
    ledger.know(name, key);
  const read = new Set<string>();

  return {
    world,
    ledger,
    provider,
    home,
    member: await world.member(home.brand),
    /** Returns the mail sent since the last call. */
    async letter(): Promise<string> {
      const folder = join(world.config.dataDir, 'outbox');
      const names = (await readdir(folder)).filter((name) => name.endsWith('.eml') && !read.has(name));
      for (const name of names) read.add(name);
      const letters = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return letters
        .join('\n')
        .replace(/=\r?\n/g, '')
        .replaceAll('=3D', '=');
    },
  };
}
