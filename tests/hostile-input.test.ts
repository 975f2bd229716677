import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/platform/http/declaration/route.js';
import { accountsOf } from './support/accounts.js';
import { startTestApp, type World } from './support/app.js';
import { crossSection } from './support/deep.js';
import {
  ask,
  describeRoute,
  exampleBody,
  headersFor,
  orderDesk,
  propertiesOf,
  readDeclaredStatuses,
  type Visit,
} from './support/routes.js';

/** Any value in a path, query or body gives a declared status, never a 500. */

const HOSTILE_IDS = [
  'x'.repeat(255),
  'x'.repeat(2_000),
  'x'.repeat(5_000),
  '%00',
  `a%00b`,
  '%ZZ',
  '%',
  '%ED%A0%80',
  '%FF%FE',
  '..%2f..%2fetc%2fpasswd',
  '..',
  '%2e%2e',
  '%E2%82%AC%F0%9F%8E%89',
  "'%20or%201=1--",
  '__proto__',
  'constructor',
  '0',
  '-1',
  '2147483648',
  '99999999999999999999',
  '1e3',
  '00000000-0000-0000-0000-000000000000',
];

const HOSTILE_VALUES: unknown[] = [
  null,
  '',
  ' ',
  'x'.repeat(3_000),
  'a\u0000b',
  '\ud800',
  '🎉'.repeat(600),
  "'; drop table users; --",
  '../../etc/passwd',
  0,
  -1,
  1.5,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  1e308,
  true,
  [],
  [null],
  ['x', ['y']],
  [{ a: 1 }],
  {},
  { a: { b: 'c' } },
];

const HOSTILE_TEXTS = [
  '',
  ' ',
  '%00',
  '-1',
  '0',
  '1.5',
  '1e400',
  '99999999999999999999',
  'true',
  '[]',
  'x'.repeat(3_000),
  '%F0%9F%8E%89',
  "'--",
  '%ED%A0%80',
];

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let declaredStatuses: (route: Route) => number[];
let victim: { brand_id: number };
let credentials: Parameters<typeof headersFor>[1];

beforeAll(async () => {
  world = await startTestApp({ env: { LOG_LEVEL: 'error' } });
  home = await world.workspace({ plan: 'enterprise' });
  // One of the bodies makes the workspace require two-factor sign-in, which would stop all later requests.
  await accountsOf(world).setUpTotp(home.cookie);
  declaredStatuses = await readDeclaredStatuses(world);
  victim = await world.brand();
  credentials = {
    bearer: home.bearer,
    cookie: home.cookie,
    desk: { authorization: `Bearer ${await orderDesk(world, home.brand.brand_id)}` },
  };
});

afterAll(() => world.stop());

/** Operator routes target another workspace, so that they cannot lock out the workspace under test. */
const placeOf = ({ access }: Route) =>
  access.credentials.includes('admin-key') ? victim.brand_id : home.brand.brand_id;

async function attack(route: Route, visit: Visit): Promise<string | undefined> {
  const headers = { ...headersFor(route, credentials), ...visit.headers };
  const answer = await ask(world, route, { brandId: placeOf(route), ...visit, headers });
  // An id such as `..` turns the path into another route's.
  const isElsewhere = visit.id !== undefined || visit.brandId !== undefined;
  if (answer.statusCode !== 500 && (isElsewhere || declaredStatuses(route).includes(answer.statusCode)))
    return undefined;
  const reason = world.logLines.at(-1)?.trim();
  return `${describeRoute(route)} ${JSON.stringify(visit).slice(0, 200)} → ${answer.statusCode} ${reason}`;
}

/** These routes end the session, move the clock, or open an endless stream. */
const isDangerous = ({ path }: Route) =>
  ['/api/v1/auth/logout', '/api/v1/auth/switch', '/api/v1/admin/clock', '/api/v1/me/inbox/stream'].includes(
    path,
  );
const chosen = () => world.app.routes.filter((route) => !isDangerous(route));

/** Outside of the deep run each place gets the next slice of the attacks. */
let places = 0;
const someOf = <T>(attacks: readonly T[]): T[] => crossSection(attacks, 16, places++);

async function collect(attacks: AsyncIterable<string | undefined>): Promise<void> {
  const faults: string[] = [];
  for await (const fault of attacks) if (fault) faults.push(fault);
  expect(faults).toEqual([]);
}

describe('A hostile id in a path', () => {
  it(
    'never causes a 500',
    () =>
      collect(
        (async function* () {
          for (const route of chosen()) {
            if (!route.path.includes('{')) continue;
            for (const id of someOf(HOSTILE_IDS)) {
              const payload = route.body ? exampleBody(route) : undefined;
              yield attack(route, { id, payload });
              if (route.path.includes('{brand_id}')) yield attack(route, { brandId: id, payload });
            }
          }
        })(),
      ),
    300_000,
  );

  it('gives 404, both at 255 characters and when it is not valid text', async () => {
    for (const id of ['x'.repeat(255), '%00', '%ZZ', 'x'.repeat(5_000)]) {
      const answer = await world.inject({
        url: `/api/v1/admin/brands/${id}`,
        headers: { 'x-admin-key': 'test-admin-key' },
      });
      expect(answer.statusCode, id.slice(0, 10)).toBe(404);
      expect(Object.keys(answer.json())).toEqual(['detail']);
    }
  });
});

describe('A hostile value in a body', () => {
  it(
    'never causes a 500, in any field',
    () =>
      collect(
        (async function* () {
          for (const route of chosen()) {
            for (const [name] of propertiesOf(route.body)) {
              for (const value of someOf(HOSTILE_VALUES))
                yield attack(route, { payload: { ...exampleBody(route), [name]: value } });
            }
          }
        })(),
      ),
    300_000,
  );

  it('is refused if it contains NUL or a lone surrogate', async () => {
    for (const route of chosen()) {
      const [name] = propertiesOf(route.body).find(([, { type }]) => type === 'string') ?? [];
      if (!name) continue;
      for (const value of ['a\u0000b', '\ud800']) {
        const headers = headersFor(route, credentials);
        const answer = await ask(world, route, {
          brandId: placeOf(route),
          headers,
          payload: { ...exampleBody(route), [name]: value },
        });
        expect([404, 422], `${describeRoute(route)} ${answer.body}`).toContain(answer.statusCode);
      }
    }
  });
});

describe('A hostile value in a query', () => {
  it(
    'never causes a 500, alone, twice or as an unknown parameter',
    () =>
      collect(
        (async function* () {
          for (const route of chosen()) {
            for (const [name] of [...propertiesOf(route.query), ['unknown']] as [string][]) {
              for (const text of someOf(HOSTILE_TEXTS)) {
                const value = decodeURIComponentLeniently(text);
                yield attack(route, { query: { [name]: value }, payload: route.body && exampleBody(route) });
              }
              yield attack(route, {
                query: { [name]: ['a', 'b'] },
                payload: route.body && exampleBody(route),
              });
            }
          }
        })(),
      ),
    300_000,
  );
});

const decodeURIComponentLeniently = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

it('the credentials still work after all attacks, so every attack got past authorization', async () => {
  for (const headers of [home.bearer, { cookie: home.cookie }])
    expect(
      (await world.inject({ url: '/api/v1/board/boards', headers })).statusCode,
      Object.keys(headers)[0],
    ).toBe(200);
});
