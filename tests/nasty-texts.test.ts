import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/platform/http/declaration/route.js';
import { startTestApp, type World } from './support/app.js';
import { crossSection, isDeep } from './support/deep.js';
import { longestHold } from './support/event-loop.js';
import {
  addressOf,
  describeRoute,
  exampleBody,
  headersFor,
  orderDesk,
  type TextField,
  textFieldsOf,
} from './support/routes.js';

/** No text in any field blocks the event loop, neither when it is written nor when it is read back. */

const MEBIBYTE = 1024 * 1024;
/** The limit for all headers together is 16 KiB. */
const QUERY_BYTES = 12 * 1024;
/** Fields that allow more than this many characters are tested with each kind of text separately. */
const LONG = 10_000;
const LONG_EXAMPLE = 100;
/** Number of kinds combined in one text for short fields. */
const MIXED = 14;
/**
 * Far more than any handler needs, and far less than quadratic backtracking of a regular expression needs.
 */
const TOO_LONG_MS = 1_000;

type Nasty = [beginning: string, unit: string, end: string];

const NASTY: Record<string, Nasty> = {
  blanks: ['a', ' ', 'b'],
  tabs: ['', '\t', 'x'],
  newlines: ['a', '\n', 'b'],
  'carriage returns': ['', '\r\n \r', 'x'],
  'odd blanks': ['a', '\u00a0\u2003', 'b'],
  'heading marks': ['# a ', '#', ' b'],
  'blanks inside a heading': ['# a', ' ', '#b'],
  'empty headings': ['', '# \n', ''],
  backticks: ['', '`', 'x'],
  fences: ['', '```\n', 'x'],
  comments: ['', '<!--', ''],
  markers: ['', '<!-- guildhall:memory:begin -->', ''],
  tags: ['', '<system', '>'],
  brackets: ['', '[', ''],
  'brackets both ways': ['', '[](', ''],
  braces: ['', '{"memories":[', ''],
  parentheses: ['', '(', ')'],
  stars: ['', '*a_', ''],
  underscores: ['', '_', ''],
  ampersands: ['', '&a', ''],
  quotes: ['', '"', ''],
  backslashes: ['', '\\', ''],
  digits: ['', '1', 'a'],
  hyphens: ['a', '-', 'b'],
  dots: ['a', '. ', 'b'],
  slashes: ['', '/', 'a'],
  'front matter': ['---\n', 'a: 1\n', '---\n'],
  'front matter without an end': ['---\n', '--- \n', ''],
  'keys of a lesson': ['---\ntype: rule\n', 'k: v\n', '---\n'],
  'anchors of a lesson': ['---\ntype: rule\nanchors: ', '[', '\n---\n'],
  'heading of a lesson': ['---\ntype: rule\n---\n# a', ' ', '#b'],
  'marks in the heading of a lesson': ['---\ntype: rule\n---\n# a ', '#', ' b'],
  lists: ['', '- \n  ', 'a'],
  'table cells': ['', '| ', ''],
  links: ['', 'http://a', ''],
  'mail addresses': ['', 'a@', 'b'],
  'words of rules': ['we ', 'always ', 'n'],
  sentences: ['', 'My The Our It ', 'a'],
  'words in names': ['', 'aB_c-', ''],
  'combining marks': ['a', '\u0301', 'b'],
  'joined emoji': ['', '👩‍', '🚀'],
  capitals: ['', '\u0130', ''],
};

/** Repeats the unit until the text fills the given number of bytes of JSON. */
function fill([beginning, unit, end]: Nasty, bytes: number): string {
  const size = Buffer.byteLength(JSON.stringify(unit)) - 2;
  return `${beginning}${unit.repeat(Math.floor((bytes - 200) / size))}${end}`;
}

const tried = new Set<string>();

/**
 * Returns one text per kind for long fields. Combines kinds for short fields, and for fields that another
 * route with the same tag already tested.
 */
function textsFor(
  { tags: [subject] }: Route,
  { name, longest, restricted }: TextField,
  bytes: number,
): [name: string, text: string][] {
  const kinds = Object.entries(NASTY);
  const isLong = !restricted && (longest ?? bytes) > LONG;
  const place = `${subject} ${name}`;
  if (isLong && !tried.has(place)) {
    tried.add(place);
    return kinds.map(([kind, nasty]) => [kind, fill(nasty, bytes).slice(0, longest)]);
  }
  const room = Math.min(bytes, longest ?? bytes);
  return Array.from({ length: Math.ceil(kinds.length / MIXED) }, (_, n) => {
    const mixed = kinds.slice(n * MIXED, (n + 1) * MIXED);
    const texts = mixed.map(([, nasty]) => fill(nasty, Math.max(250, room / MIXED)));
    return [mixed.map(([kind]) => kind).join(', '), texts.join('\n').slice(0, room).toWellFormed()];
  });
}

/** Outside of the deep run tests every 21st text, continuing across fields and routes. */
const SOME = 21;
let texts = 0;
const someOf = <T>(kinds: T[]): T[] => kinds.filter(() => isDeep || texts++ % SOME === 0);

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let credentials: Parameters<typeof headersFor>[1];
/** Existing objects, by the names of path parameters and body fields. */
const things: Record<string, string> = {
  agent_id: 'agent',
  key: 'claude.coding',
  path: 'lessons/area/slug.md',
  role: 'user',
};

/** Puts existing objects in place of the examples, and a new conversation id each time. */
function furnish(body: object): object {
  const known: Record<string, string> = { ...things, external_id: crypto.randomUUID() };
  const text = JSON.stringify(body, (name, value) =>
    typeof value === 'string' && value.length < LONG_EXAMPLE ? (known[name] ?? value) : value,
  );
  return JSON.parse(text);
}

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace({ plan: 'enterprise' });
  const { bearer, brand, cookie } = home;
  const desk = await orderDesk(world, brand.brand_id);
  credentials = { bearer, cookie, desk: { authorization: `Bearer ${desk}` } };
  const make = async (url: string, payload: object) =>
    (await world.inject({ method: 'POST', url: `/api/v1${url}`, headers: bearer, payload })).json();
  const { board_id } = await make('/board/boards', { name: 'Board' });
  const { id: task_id } = await make(`/board/boards/${board_id}/tasks`, { title: 'Card' });
  const { project_id } = await make('/projects', { name: 'Project' });
  const { id: memory_id } = await make('/memory/memories', {
    agent_id: things['agent_id'],
    kind: 'fact',
    title: 'A title',
    body: 'A body',
  });
  const { desk_id } = await world.db.selectFrom('desks').select('desk_id').executeTakeFirstOrThrow();
  Object.assign(things, { board_id, task_id, project_id, memory_id });
  Object.assign(things, { workstation_id: desk_id, user_id: String(home.admin.user_id) });
});

afterAll(() => world.stop());

const isElsewhere = ({ path }: Route) => ['/api/v1/auth/logout', '/api/v1/admin/clock'].includes(path);

function visit(route: Route, { payload, query }: { payload?: object; query?: Record<string, string> }) {
  const url = route.path.replace(/\{([^}]+)\}/g, (param, name) => things[name] ?? param);
  return world.inject({
    method: route.method,
    url: addressOf({ ...route, path: url }, { brandId: home.brand.brand_id }),
    headers: headersFor(route, credentials),
    payload,
    query,
  });
}

/** Lists the slowest first. */
function expectNoStalls(holds: { what: string; milliseconds: number }[]): void {
  const stalled = holds.filter(({ milliseconds }) => milliseconds > TOO_LONG_MS);
  stalled.sort((one, other) => other.milliseconds - one.milliseconds);
  expect(stalled.map(({ what, milliseconds }) => `${what}: ${Math.round(milliseconds)} ms`)).toEqual([]);
}

describe('1 MiB of hostile text', () => {
  it('blocks the event loop for less than a second in any field of any body', async () => {
    const holds: Parameters<typeof expectNoStalls>[0] = [];
    for (const route of world.app.routes.filter((each) => each.body && !isElsewhere(each))) {
      for (const field of textFieldsOf(route.body)) {
        for (const [name, text] of someOf(textsFor(route, field, MEBIBYTE))) {
          const payload = furnish(field.put(exampleBody(route), text));
          const milliseconds = await longestHold(() => visit(route, { payload }));
          holds.push({ what: `${describeRoute(route)} ${field.name} ${name}`, milliseconds });
        }
      }
    }
    expectNoStalls(holds);
  }, 900_000);

  it('blocks the event loop for less than a second in any query, up to 12 KiB', async () => {
    const holds: Parameters<typeof expectNoStalls>[0] = [];
    for (const route of world.app.routes.filter((each) => each.query && !isElsewhere(each))) {
      if (route.path.endsWith('/stream')) continue;
      for (const field of textFieldsOf(route.query)) {
        for (const [name, text] of someOf(textsFor(route, field, QUERY_BYTES))) {
          const query = { [field.name]: text };
          const payload = route.body && exampleBody(route);
          const milliseconds = await longestHold(() => visit(route, { payload, query }));
          holds.push({ what: `${describeRoute(route)} ?${field.name} ${name}`, milliseconds });
        }
      }
    }
    expectNoStalls(holds);
  }, 900_000);

  it('blocks the event loop for less than a second when it is read in any format or processed by a background job', async () => {
    const holds: Parameters<typeof expectNoStalls>[0] = [];
    const measure = async (what: string, work: () => Promise<unknown>) =>
      void holds.push({ what, milliseconds: await longestHold(work) });
    const shown = world.app.routes.filter(({ method }) => method === 'GET');
    for (const route of crossSection(shown, 8)) {
      if (route.path.endsWith('/stream')) continue;
      for (const format of route.formats?.allowed ?? ['json'])
        await measure(`${describeRoute(route)} ${format}`, () =>
          visit(route, { query: { format, detail: 'full' } }),
        );
    }
    for (const format of ['json', 'yaml', 'md'])
      await measure(`search ${format}`, () =>
        world.inject({
          method: 'POST',
          url: `/api/v1/memory/agents/${things['agent_id']}/context?limit=50&format=${format}`,
          headers: home.bearer,
        }),
      );
    for (const job of world.app.jobs.names()) await measure(`job ${job}`, () => world.app.jobs.runNow(job));
    expectNoStalls(holds);
  }, 900_000);
});
