import type { Costs } from './costs.js';
import { type Action, type Habits, shareOfDay } from './habits.js';

const HOURS_OF_YEAR = 365 * 24;
/** Above this utilization, requests start to queue. */
const BUSY_AT_MOST = 0.6;
/** The node's processor time in milliseconds per request, check and delivery (`docs/scale.md`). */
const SMALL_ACTIONS = { buildRequest: 1.2, check: 0.55, delivery: 1.5 };
const WRITES = new Set<Action>(['make a card', 'change a card', 'comment', 'learn']);

export interface Year {
  requests: number;
  builds: number;
  peak: {
    hour: number;
    requestsPerSecond: number;
    nodeCores: number;
    databaseCores: number;
    building: number;
  };
  /** The cores needed for a utilization of 60 % in the busiest hour. */
  cores: { nodes: number; database: number };
  /** The longest that a build waited for a slot, and how many were waiting then. */
  queue: { minutes: number; builds: number };
  /** Gigabytes at the end of the year. */
  stored: Record<string, number>;
  /** The limit that a growing company reaches first, and at how many times its size. */
  next: { what: string; times: number };
}

/** Simulates a year hour by hour, in which the company grows from half its size to its full size. */
export function simulate(habits: Habits, costs: Costs, random: () => number): Year {
  const { people, agents, builds, desks } = habits;
  const rows = { cards: 0, entries: 0, comments: 0, memories: 0, logBytes: 0 };
  const year = { requests: 0, builds: 0 };
  let peak: Year['peak'] = { hour: 0, requestsPerSecond: 0, nodeCores: 0, databaseCores: 0, building: 0 };
  let waiting = 0;
  let queue = { minutes: 0, builds: 0 };

  for (let hour = 0; hour < HOURS_OF_YEAR; hour++) {
    const day = Math.floor(hour / 24);
    const isWeekend = day % 7 >= 5;
    const size = 0.5 + (0.5 * hour) / HOURS_OF_YEAR;
    // Hours vary by up to a third, and every 28 days there is a day with half as much work again.
    const mood = (0.67 + 0.66 * random()) * (day % 28 === 26 ? 1.5 : 1);
    const ofPeople =
      people.count * size * mood * shareOfDay.people(hour % 24) * (isWeekend ? habits.weekend.people : 1);
    const ofAgents =
      agents.count * size * mood * shareOfDay.agents(hour % 24) * (isWeekend ? habits.weekend.agents : 1);

    const done = mapActions(
      (action) => ofPeople * people.actions[action] + ofAgents * agents.actions[action],
    );
    const begun = ofAgents * builds.eachAgent;
    const capacity = desks.count * desks.slots * size * (60 / builds.minutes);
    const built = Math.min(waiting + begun, capacity);
    waiting += begun - built;
    const minutes = (waiting / capacity) * 60;
    if (minutes > queue.minutes) queue = { minutes, builds: waiting };

    const changes = sumOf(done, (action) => (WRITES.has(action) ? 1 : 0));
    const checks = (desks.count * size * 3600) / desks.checkSeconds;
    const deliveries = changes * habits.webhooksForEachChange;
    const requests = sumOf(done, () => 1) + built * builds.requests;
    const nodeMs =
      sumOf(done, (action) => costs.actions[action].node) +
      built * builds.requests * SMALL_ACTIONS.buildRequest +
      checks * SMALL_ACTIONS.check +
      deliveries * SMALL_ACTIONS.delivery;
    const databaseMs =
      sumOf(done, (action) => costs.actions[action].database) +
      built * builds.requests * costs.actions.comment.database * 0.5;

    year.requests += requests;
    year.builds += built;
    rows.cards += done['make a card'];
    rows.entries += changes - done.learn + built * 4;
    rows.comments += done.comment;
    rows.memories += done.learn;
    rows.logBytes += built * builds.logBytes;
    const nodeCores = nodeMs / 3_600_000;
    if (nodeCores > peak.nodeCores)
      peak = {
        hour,
        requestsPerSecond: requests / 3600,
        nodeCores,
        databaseCores: databaseMs / 3_600_000,
        building: (built * builds.minutes) / 60,
      };
  }

  const GB = 1e9;
  const stored = {
    cards: (rows.cards * costs.bytes.card) / GB,
    'activity of boards': (rows.entries * costs.bytes.entry) / GB,
    comments: (rows.comments * costs.bytes.comment) / GB,
    memories: (rows.memories * costs.bytes.memory) / GB,
    'logs of builds': rows.logBytes / GB,
  };
  const cores = {
    nodes: Math.ceil(peak.nodeCores / BUSY_AT_MOST),
    database: Math.ceil(peak.databaseCores / BUSY_AT_MOST),
  };
  return { ...year, peak, cores, queue, stored, next: nextLimit(peak, stored, cores, queue) };
}

/** A single database server, because nodes and desks can be added and the database cannot. */
const LARGEST_DATABASE = { cores: 64, gigabytes: 20_000 };

function nextLimit(
  peak: Year['peak'],
  stored: Record<string, number>,
  cores: Year['cores'],
  queue: Year['queue'],
) {
  const gigabytes = Object.values(stored).reduce((sum, part) => sum + part, 0);
  const limits = [
    { what: 'desks: builds wait for a slot', times: queue.minutes > 15 ? 1 : Number.POSITIVE_INFINITY },
    {
      what: 'processor of one database server',
      times: (LARGEST_DATABASE.cores * BUSY_AT_MOST) / peak.databaseCores,
    },
    { what: 'disk of one database server, after a year', times: LARGEST_DATABASE.gigabytes / gigabytes },
    // Each node with two cores opens 22 connections, and PostgreSQL handles about 2,000 well.
    { what: 'connections to one database server', times: 2000 / (Math.ceil(cores.nodes / 2) * 22) },
  ];
  return limits.sort((a, b) => a.times - b.times)[0]!;
}

const ACTIONS: Action[] = [
  'list cards',
  'read a card',
  'read the feed',
  'search memory',
  'make a card',
  'change a card',
  'comment',
  'learn',
];

const mapActions = (count: (action: Action) => number) =>
  Object.fromEntries(ACTIONS.map((action) => [action, count(action)])) as Record<Action, number>;

const sumOf = (done: Record<Action, number>, weight: (action: Action) => number): number =>
  ACTIONS.reduce((sum, action) => sum + done[action] * weight(action), 0);
