import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER_ROLES, SCOPES, type Scope } from '../src/kernel/access.js';
import { newToken } from '../src/kernel/secrets.js';
import type { Route } from '../src/platform/http/declaration/route.js';
import { startTestApp, type World } from './support/app.js';
import { crossSection, itDeeply } from './support/deep.js';
import {
  addressOf,
  ask,
  describeRoute,
  exampleBody,
  headersFor,
  orderDesk,
  readDeclaredStatuses,
  type Visit,
} from './support/routes.js';

/** Visits every declared route with every kind of caller, so new routes are covered without a new test. */

const SENTENCE_NOT_ALLOWED = (scope: Scope) =>
  `Token lacks scope ${scope}, and this workspace does not allow it: a platform admin must widen its policy first`;
const SENTENCE_ALLOWED = (scope: Scope) =>
  `Token lacks scope ${scope}; this workspace allows it, so a new token can carry it`;
const MEBIBYTE = 1024 * 1024;

let world: World;
let routes: Route[];
let home: Awaited<ReturnType<World['workspace']>>;
let foreign: Awaited<ReturnType<World['workspace']>>;
let memberCookie: string;
let memberToken: string;
let guestCookie: string;
let declaredStatuses: (route: Route) => number[];
let desk: { authorization: string };
const visited: string[] = [];
/** Outside of the deep run each visit takes the next slice of the routes. */
let visits = 0;
let guesses = 0;

beforeAll(async () => {
  world = await startTestApp();
  routes = world.app.routes;
  declaredStatuses = await readDeclaredStatuses(world);
  home = await world.workspace({ plan: 'business' });
  foreign = await world.workspace({ plan: 'business' });
  const member = await world.member(home.brand);
  memberCookie = await world.signIn(member);
  memberToken = await world.token(home.brand, member);
  const guest = await world.person();
  await world.db
    .insertInto('guest_access')
    .values({
      brand_id: home.brand.brand_id,
      user_id: guest.user_id,
      kind: 'docs',
      resource_id: crypto.randomUUID(),
      role: 'viewer',
      created_at: world.clock.now(),
    })
    .execute();
  guestCookie = await world.signIn(guest, home.brand);
  desk = bearer(await orderDesk(world, home.brand.brand_id));
});

afterAll(() => world.stop());

/** Visits the routes that `choose` selects. Every answer must have a declared status other than 500. */
async function visit(
  choose: (route: Route) => boolean,
  how: (route: Route) => Visit | Visit[],
  judge: (answer: Awaited<ReturnType<typeof ask>>, route: Route) => void,
): Promise<void> {
  const chosen = crossSection(routes.filter(choose), 8, visits++);
  expect(chosen.length, 'no route was visited').toBeGreaterThan(0);
  for (const route of chosen) {
    for (const each of [how(route)].flat()) {
      const answer = await ask(world, route, { brandId: home.brand.brand_id, ...each });
      visited.push(describeRoute(route));
      const where = `${describeRoute(route)} → ${answer.statusCode} ${answer.body.slice(0, 300)}`;
      expect(answer.statusCode, where).not.toBe(500);
      expect(declaredStatuses(route), where).toContain(answer.statusCode);
      expect(answer.headers['x-request-id'], where).toBeTruthy();
      try {
        judge(answer, route);
      } catch (fault) {
        throw new Error(`${where}\n${(fault as Error).message}`);
      }
    }
  }
}

const isGuarded = ({ access }: Route) => access.credentials.length > 0 && !access.optional;
const takes =
  (credential: Route['access']['credentials'][number]) =>
  ({ access }: Route) =>
    access.credentials.includes(credential);
const both =
  (...tests: ((route: Route) => boolean)[]) =>
  (route: Route) =>
    tests.every((test) => test(route));
const not = (test: (route: Route) => boolean) => (route: Route) => !test(route);
const isTokenRoute = (route: Route) => takes('pat')(route) || takes('desk')(route);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function expectRefusal(answer: Awaited<ReturnType<typeof ask>>, route: Route) {
  expect(answer.statusCode).toBe(401);
  expect(Object.keys(answer.json())).toEqual(['detail']);
  expect(answer.headers['www-authenticate']).toBe(isTokenRoute(route) ? 'Bearer' : undefined);
}

describe('Credential checks (first)', () => {
  it('returns 401 without a credential', () => visit(isGuarded, () => ({}), expectRefusal));

  it('returns 401 without a credential, no matter what else is wrong with the request', () =>
    visit(
      both(isGuarded, ({ body }) => Boolean(body)),
      () => [
        { payload: '{"no json', headers: { 'content-type': 'application/json' } },
        { payload: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
        { payload: '{}', headers: { 'content-type': 'application/json' }, id: 'no-id' },
      ],
      expectRefusal,
    ));

  it('returns 401 for a malformed, unknown, expired or revoked token', async () => {
    const expired = await world.token(home.brand, home.admin, [...SCOPES], {
      expires_at: '2020-01-01T00:00:00Z',
    });
    const revoked = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${home.brand.brand_id}/tokens`,
      { user_id: home.admin.user_id, scopes: [], name: 'revoked' },
    );
    await world.operator('DELETE', `/tokens/${revoked.token_id}`);
    const headers = [
      bearer('garbage'),
      bearer(''),
      bearer(`${home.token}x`),
      bearer('guild_pat_short_00000000'),
      bearer(newToken('guild_pat_')),
      bearer(expired),
      bearer(revoked.token),
      bearer(newToken('guild_desk_')),
      { authorization: 'Basic dXNlcjpwYXNz' },
      { authorization: home.token },
    ];
    await visit(
      both(isGuarded, not(takes('admin-key'))),
      () => headers.map((each) => ({ headers: each })),
      expectRefusal,
    );
  });

  it('returns 401 for an unknown or ended session', async () => {
    const ended = await world.signIn(home.admin, home.brand);
    await world.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: { cookie: ended } });
    const cookies = [
      ended,
      'guildhall_session=',
      'guildhall_session=garbage',
      `guildhall_session=${'x'.repeat(4000)}`,
    ];
    await visit(
      both(isGuarded, takes('session')),
      () => cookies.map((cookie) => ({ headers: { cookie } })),
      expectRefusal,
    );
  });

  it('returns 401 for an invalid bearer token even with a valid session', () =>
    visit(
      both(isGuarded, takes('session'), not(takes('admin-key'))),
      () => ({ headers: { cookie: home.cookie, ...bearer(newToken('guild_pat_')) } }),
      expectRefusal,
    ));

  it('returns 401 for a token on a route that takes only sessions', () =>
    visit(
      both(isGuarded, takes('session'), not(isTokenRoute)),
      () => ({ headers: home.bearer }),
      expectRefusal,
    ));

  it('returns 401 for a wrong admin key', () =>
    visit(
      takes('admin-key'),
      // Each from another address, because several wrong keys from one address give a 429.
      () =>
        ['wrong', '', 'test-admin-key2'].map((key, n) => ({
          headers: { 'x-admin-key': key, 'x-forwarded-for': `198.51.100.${(guesses++ * 3 + n) % 250}` },
        })),
      expectRefusal,
    ));

  it('returns 401 for a desk token, except on desk routes and the build settings', async () => {
    await visit(both(isGuarded, not(takes('desk'))), () => ({ headers: desk }), expectRefusal);
    const open = routes.filter(takes('desk')).map(({ path }) => path);
    expect(open.filter((path) => !path.startsWith('/api/v1/desk/'))).toEqual([
      '/api/v1/factory/builds/settings',
    ]);
  });

  it('returns 401 for a token or session on operator routes, and for the admin key elsewhere', async () => {
    const operatorOnly = ({ access }: Route) => access.credentials.join() === 'admin-key';
    await visit(
      operatorOnly,
      () => [{ headers: home.bearer }, { headers: { cookie: home.cookie } }],
      expectRefusal,
    );
    await visit(
      both(isGuarded, not(takes('admin-key'))),
      () => ({ headers: { 'x-admin-key': 'test-admin-key' } }),
      expectRefusal,
    );
  });
});

describe('Workspace checks (second)', () => {
  const inBrand = both(isTokenRoute, ({ path }) => path.includes('{brand_id}'));

  it('returns 404 for a token of another workspace with any scopes, and for an id that is not an integer', async () => {
    const scopeless = await world.token(foreign.brand, foreign.admin, []);
    await visit(
      inBrand,
      () => [
        { headers: foreign.bearer },
        { headers: bearer(scopeless) },
        { headers: { cookie: foreign.cookie } },
        ...['999999999', '0', '-1', '1.5', 'abc', '9'.repeat(300), '%00', ' 1'].map((brandId) => ({
          headers: home.bearer,
          brandId,
        })),
      ],
      (answer) => {
        expect(answer.statusCode).toBe(404);
        expect(answer.json()).toEqual({ detail: 'Brand not found' });
      },
    );
  });

  it('returns 404 before it parses the body', () =>
    visit(
      both(inBrand, ({ body }) => Boolean(body)),
      () => ({ headers: { ...foreign.bearer, 'content-type': 'application/json' }, payload: '{"no json' }),
      (answer) => expect(answer.json()).toEqual({ detail: 'Brand not found' }),
    ));
});

describe('Scope and role checks (third and fourth)', () => {
  const isScoped = both(takes('pat'), ({ access }) => access.scopes.length > 0);

  it('names the missing scope and says that the workspace allows it', async () => {
    const scopeless = await world.token(home.brand, home.admin, []);
    await visit(
      isScoped,
      () => ({ headers: bearer(scopeless) }),
      (answer, { access }) => {
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toEqual({ detail: SENTENCE_ALLOWED(access.scopes[0]!) });
      },
    );
  });

  it('names the missing scope and says that the workspace does not allow it', async () => {
    const narrow = await world.workspace({ scope_ceiling: [] });
    await visit(
      isScoped,
      () => ({ headers: narrow.bearer, brandId: narrow.brand.brand_id }),
      (answer, { access }) => {
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toEqual({ detail: SENTENCE_NOT_ALLOWED(access.scopes[0]!) });
      },
    );
  });

  it('requires every scope of a route', async () => {
    for (const route of routes.filter(({ access }) => access.scopes.length > 1)) {
      for (const missing of route.access.scopes) {
        const token = await world.token(
          home.brand,
          home.admin,
          SCOPES.filter((scope) => scope !== missing),
        );
        const answer = await ask(world, route, { brandId: home.brand.brand_id, headers: bearer(token) });
        expect(answer.json()).toEqual({ detail: SENTENCE_ALLOWED(missing) });
      }
    }
  });

  it('answers `Brand admin access required` to a member, by token and by session', () =>
    visit(
      ({ access }) => access.role === 'admin',
      (route) => [
        ...(takes('pat')(route) ? [{ headers: bearer(memberToken) }] : []),
        ...(takes('session')(route) ? [{ headers: { cookie: memberCookie } }] : []),
      ],
      (answer) => {
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toEqual({ detail: 'Brand admin access required' });
      },
    ));

  it('refuses guests everything except boards and docs', () =>
    visit(
      both(takes('session'), ({ access }) => MEMBER_ROLES.includes(access.role as never)),
      () => ({ headers: { cookie: guestCookie } }),
      (answer) => expect(answer.statusCode).toBe(403),
    ));

  it('refuses writes by session from another origin', () =>
    visit(
      both(takes('session'), isGuarded, ({ method }) => method !== 'GET'),
      () =>
        [
          ['origin', 'https://evil.example'],
          ['sec-fetch-site', 'cross-site'],
          ['sec-fetch-site', 'same-site'],
        ].map(([name, value]) => ({ headers: { cookie: home.cookie, [name!]: value! } })),
      (answer) => expect(answer.statusCode).toBe(403),
    ));
});

describe('Request parsing', () => {
  const takesBody = ({ body }: Route) => Boolean(body);
  const credentials = (route: Route) => headersFor(route, { bearer: home.bearer, cookie: home.cookie, desk });

  it('returns 415 for any other content type', () =>
    visit(
      takesBody,
      (route) =>
        [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/xml',
          'json',
        ].map((type) => ({ headers: { ...credentials(route), 'content-type': type }, payload: 'a=b' })),
      (answer) => expect(answer.statusCode).toBe(415),
    ));

  it('returns 422 for a body that is not JSON or not an object', () =>
    visit(
      takesBody,
      (route) =>
        [
          '{"no json',
          '{"a":1,}',
          'NaN',
          "{'a':1}",
          '[]',
          '"text"',
          'null',
          '1',
          '\ufeff{}',
          Buffer.from([0x22, 0xff, 0x22]),
        ].map((payload) => ({
          headers: { ...credentials(route), 'content-type': 'application/json' },
          payload,
        })),
      (answer, { path }) => {
        // MCP answers JSON that is not a message with a JSON-RPC error of its own.
        if (path === '/mcp' && answer.statusCode === 400)
          return expect(answer.json().error.code).toBeLessThan(0);
        expect(answer.statusCode).toBe(422);
        expect(typeof answer.json().detail).toBe('string');
      },
    ));

  it('returns 422 and names an unknown key in a closed body', () =>
    visit(
      both(takesBody, ({ body }) => body.additionalProperties === false),
      (route) => ({
        headers: credentials(route),
        payload: { ...exampleBody(route), surplus_key: 1 },
      }),
      (answer) => {
        expect(answer.statusCode).toBe(422);
        expect(JSON.stringify(answer.json().detail)).toContain('surplus_key');
      },
    ));

  /** Public routes, which read at most 16 KiB and do not decompress, because the caller is unknown. */
  const isPublic = ({ access }: Route) => access.credentials.length === 0;

  it('returns 413 for a body over 2 MiB (cards: 5 MiB, public routes: 16 KiB), and accepts exactly that size', async () => {
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    const largest = ({ method, path }: Route) =>
      (method === 'POST' && path === '/api/v1/board/boards/{board_id}/tasks') ||
      (method === 'PATCH' && path === '/api/v1/board/tasks/{task_id}')
        ? 5 * MEBIBYTE
        : 2 * MEBIBYTE;
    const limit = (route: Route) => (isPublic(route) ? 16 * 1024 : largest(route));
    expect(Buffer.byteLength(sized(MEBIBYTE))).toBe(MEBIBYTE);
    expect(routes.filter((route) => largest(route) > 2 * MEBIBYTE)).toHaveLength(2);
    const json = (route: Route) => ({ ...credentials(route), 'content-type': 'application/json' });
    await visit(
      takesBody,
      (route) => ({ headers: json(route), payload: sized(limit(route) + 1) }),
      (answer) => expect(answer.statusCode).toBe(413),
    );
    await visit(
      takesBody,
      (route) => ({ headers: json(route), payload: sized(limit(route)) }),
      (answer) => expect(answer.statusCode).not.toBe(413),
    );
  });

  it.each([
    ['gzip', 400],
    ['deflate', 400],
    ['br', 400],
    ['zstd', 415],
    ['nonsense', 415],
  ])('a body with a false Content-Encoding of %s returns %s', (encoding, status) =>
    visit(
      (route) => Boolean(route.body || route.upload),
      (route) => ({
        headers: {
          ...credentials(route),
          'content-type': route.upload ? 'multipart/form-data; boundary=edge' : 'application/json',
          'content-encoding': encoding,
        },
        payload: '{"plain": true}',
      }),
      (answer, route) => expect(answer.statusCode).toBe(isPublic(route) ? 415 : status),
    ),
  );

  it('returns 405 with Allow for a wrong method, with or without a credential', async () => {
    for (const path of crossSection([...new Set(routes.map((route) => route.path))], 8)) {
      const declared = routes.filter((route) => route.path === path);
      const known = declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        if (known.includes(method)) continue;
        const url = addressOf(declared[0]!, { brandId: home.brand.brand_id });
        const answer = await world.inject({ method, url });
        const allow = String(answer.headers['allow']).split(', ');
        // The path can also match another route with a parameter, which then answers.
        if (answer.statusCode !== 405) {
          expect(
            routes.some((route) => route.method === method && matches(route.path, url)),
            `${method} ${path}`,
          ).toBe(true);
          continue;
        }
        expect(answer.json()).toEqual({ detail: 'Method not allowed' });
        for (const each of known) expect(allow).toContain(each);
      }
    }
  });

  it('returns 404 for an unknown path or a trailing slash, with or without a credential', async () => {
    for (const headers of [{}, home.bearer, { cookie: home.cookie }, bearer('garbage')]) {
      for (const url of [
        '/nowhere',
        '/api/v1/nowhere',
        '/api/v1/me/token/',
        '/API/V1/me/token',
        '//api/v1/me/token',
      ]) {
        const answer = await world.inject({ url, headers });
        expect([answer.statusCode, answer.json()]).toEqual([404, { detail: 'Not found' }]);
      }
    }
  });
});

const matches = (path: string, url: string) =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`).test(url);

itDeeply('visits every declared route', () => {
  const missed = routes.filter(({ access }) => access.credentials.length > 0).map(describeRoute);
  expect(missed.filter((route) => !visited.includes(route))).toEqual([]);
});
