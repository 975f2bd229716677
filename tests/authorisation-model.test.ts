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
 * Compares the answers to random requests, with every credential and across workspaces, with a model written
 * from the specification, while tokens, memberships, roles and scope ceilings change. Set
 * `AUTHORISATION_SEED` to repeat a run.
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

/** Leaves out routes that the model does not know, so that a new route fails only the first test. */
const knownRoutes = () => world.app.routes.filter(({ name }) => MODEL.has(name));

/** Uses random client addresses so that no rate limit by address applies. */
const anyAddress = () => `198.18.${dice.below(256)}.${dice.below(256)}`;

/** Quota refusals (403 with an object as detail) and allowed 404s count as reaching the handler. */
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

describe('Authorization model', () => {
  it('names exactly the routes that the service declares', () => {
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

  it('predicts the answer for every route and credential', async () => {
    const isLast = ({ name }: Route) => Number(name === 'sign_out');
    const routes = knownRoutes().sort((one, other) => isLast(one) - isLast(other));
    const credentials = people.credentials.filter(({ person }) => person?.tenant !== 1);
    for (const [turn, credential] of credentials.entries()) {
      // Outside of the deep run each credential gets the next slice of the routes.
      for (const route of crossSection(routes, 24, turn)) {
        if (credential.dead && dice.chance(0.5)) continue;
        await probe(route, credential, credential.person?.tenant ?? 0, 0);
      }
    }
  });

  it(`predicts the answers of ${STEPS} random requests while people and permissions change`, async () => {
    for (let step = 0; step < STEPS; step++) {
      if (dice.chance(0.1)) told.push(await people.happen());
      await probe(dice.pick(knownRoutes()), dice.pick(people.credentials), dice.below(2), dice.below(2));
    }
  });
});
