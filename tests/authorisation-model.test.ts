import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/platform/http/declaration/route.js';
import { diceOf } from './authorisation/dice.js';
import {
  type Credential,
  judge,
  MODEL,
  type Rule,
  type Target,
  type Verdict,
} from './authorisation/model.js';
import { gatherPeople } from './authorisation/people.js';
import { makeThings } from './authorisation/things.js';
import { startTestApp, type World } from './support/app.js';
import { crossSection, isDeep } from './support/deep.js';

/**
 * Every credential is tried on every route, against things of its own workspace and of another, while tokens are revoked, people
 * come and go, and roles, levels and ceilings change. The answers must be those of a model that was written from the
 * specification. `AUTHORISATION_SEED` repeats a walk.
 */

const seed = Number(process.env['AUTHORISATION_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const STEPS = isDeep ? 4_000 : 200;
const dice = diceOf(seed);

let world: World;
let things: ReturnType<typeof makeThings>;
let people: Awaited<ReturnType<typeof gatherPeople>>;
const told: string[] = [];

beforeAll(async () => {
  console.log(`AUTHORISATION_SEED=${seed}`);
  world = await startTestApp();
  const workspaces = [
    await world.workspace({ plan: 'enterprise' }),
    await world.workspace({ plan: 'enterprise' }),
  ];
  things = makeThings(world, workspaces);
  people = await gatherPeople(world, workspaces, things, dice);
});

afterAll(() => world.stop());

/** A route that the model does not name fails one test only. */
const knownRoutes = () => world.app.routes.filter(({ name }) => MODEL.has(name));

/** Several machines, so that no limit by address is reached. */
const anyAddress = () => `198.18.${dice.below(256)}.${dice.below(256)}`;

/** A quota is no question of who one is; and a handler that finds nothing was reached. */
function verdictOf(rule: Rule, status: number, body: string): Verdict {
  if (!rule.takes && (status === 401 || status === 403)) return 'reached';
  if (status === 403 && body !== '' && typeof JSON.parse(body).detail === 'object') return 'reached';
  return status === 401 || status === 403 || status === 404 ? status : 'reached';
}

async function probe(route: Route, credential: Credential, tenant: number, board: number): Promise<void> {
  const rule = MODEL.get(route.name)!;
  const target: Target = { tenant, board, namesBrand: route.path.includes('{brand_id}') };
  const request = await things.requestFor(route, target);
  const expected = judge(rule, credential, target, {
    now: world.clock.now(),
    ceiling: people.ceilingOf(credential.person?.tenant ?? tenant),
  });
  const { statusCode, body } = await world.inject({
    ...request,
    headers: { ...request.headers, ...credential.headers, 'x-forwarded-for': anyAddress() },
  });
  const step = `${route.name} by ${credential.name} on ${tenant}/${board}: ${statusCode}, the model says ${expected}`;
  told.push(step);
  const verdict = verdictOf(rule, statusCode, body);
  const isOperators = credential.kind === 'operator' || credential.kind === 'desk';
  const agrees =
    verdict === expected ||
    (expected === 'reached' && verdict === 404 && rule.findsNothing) ||
    (expected === 'reached' && verdict !== 401 && (isOperators || !rule.takes));
  if (statusCode >= 500 && statusCode !== 503 && statusCode !== 502) throw new Error(`${step}\n${body}`);
  if (!agrees)
    throw new Error(
      `AUTHORISATION_SEED=${seed}\n${told.slice(-12).join('\n')}\n${request.url}\n${body.slice(0, 300)}`,
    );
  if (route.name === 'sign_out' && statusCode === 204) await people.ended(credential);
}

describe('the model of who may do what', () => {
  it('knows every route, and no other', () => {
    const routes = world.app.routes.map(({ name }) => name);
    expect(
      routes.filter((name) => !MODEL.has(name)),
      'add these to tests/authorisation/model.ts',
    ).toEqual([]);
    expect(
      [...MODEL.keys()].filter((name) => !routes.includes(name)),
      'these are no routes any more',
    ).toEqual([]);
  });

  it('agrees with the service on every route and credential', async () => {
    const isLast = ({ name }: Route) => Number(name === 'sign_out');
    const routes = knownRoutes().sort((one, other) => isLast(one) - isLast(other));
    const credentials = people.credentials.filter(({ person }) => person?.tenant !== 1);
    for (const [turn, credential] of credentials.entries()) {
      // Without going deep each credential is tried on other routes than the one before.
      for (const route of crossSection(routes, 24, turn)) {
        if (credential.dead && dice.chance(0.5)) continue;
        await probe(route, credential, credential.person?.tenant ?? 0, 0);
      }
    }
  });

  it(`agrees with the service through ${STEPS} random steps while the world changes`, async () => {
    for (let step = 0; step < STEPS; step++) {
      if (dice.chance(0.1)) told.push(await people.happen());
      await probe(dice.pick(knownRoutes()), dice.pick(people.credentials), dice.below(2), dice.below(2));
    }
  });
});
