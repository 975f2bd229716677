import { agentStore } from '../features/memory/agents/agents.store.js';
import type { MemoryService } from '../features/memory/index.js';
import { conversationQueue, conversationStore } from '../features/memory/learning/conversations.store.js';
import type { Importance, Kind } from '../features/memory/records/memory.record.js';
import { memoryStore } from '../features/memory/records/memory.store.js';
import type { ActingAgent } from '../kernel/access.js';
import { type Clock, DAY, secondsFrom } from '../kernel/clock.js';
import { newId } from '../kernel/ids.js';
import { inTransaction } from '../platform/database/connection/transaction.js';
import type { Db } from '../platform/database/database.js';

export const DEMO_AGENT = 'robo-builder';
const DEMO_AGENT_NAME = 'Robo Builder';

interface DemoMemory {
  kind: Kind;
  title: string;
  body: string;
  tags: string[];
  importance: Importance;
  confidence: number;
  /** Age in days. */
  days: number;
}

const SERVICES = [
  'billing',
  'login',
  'search',
  'warehouse',
  'robot firmware',
  'dashboard',
  'mail gateway',
  'price import',
];
const PEOPLE = ['Ada', 'Ben', 'Cleo', 'the night shift', 'the warehouse crew'];
const FACTS = [
  'runs on two machines in Frankfurt',
  'is deployed on Tuesdays before noon',
  'keeps its logs for ninety days',
  'allows six hundred requests a minute',
  'needs a certificate that ends in December',
];
const DECISIONS = [
  'moves to PostgreSQL instead of files',
  'gets a feature flag before every release',
  'drops support for the old robot arm',
  'answers in English and German',
  'is rewritten in small steps, never at once',
];
const LEARNINGS: [string, string][] = [
  ['fails when the disk of its host is full', 'disk'],
  ['restarts too slowly when its cache is cold', 'cache'],
  ['breaks in Safari because of a missing cookie attribute', 'browser'],
  ['times out when a backup runs at the same time', 'backup'],
];
const WISHES = [
  'small pull requests with one reviewer',
  'short answers with the command first',
  'tests before the fix',
  'no deployments on Fridays',
];

/** Not yet learned from, so that a visitor sees a conversation wait and finish. */
const CONVERSATIONS = [
  {
    name: 'late-shift-handover',
    said: [
      'We decided to charge the robots two at a time, because the fuse of hall B gives out at three.',
      'I prefer that you tell me the battery level before each run.',
    ],
  },
  { name: 'price-import-review', said: ['We decided to import prices at five in the morning.'] },
];

/** Failed all attempts, so that a visitor can retry one. */
const FAILED_CONVERSATION = {
  name: 'gripper-retrospective',
  said: ['The gripper of arm 4 slips when its pads are colder than ten degrees.'],
};

/**
 * Adds an agent with a few hundred memories over months: fresh, stale and critical ones, learnings that
 * become patterns, and its MEMORY.md.
 */
export async function seedMemoryDemo(
  app: { db: Db; clock: Clock; memory: MemoryService },
  brandId: number,
): Promise<ActingAgent> {
  const { db, clock, memory } = app;
  const now = clock.now();
  await inTransaction(db, async (tx) => {
    await agentStore(tx, brandId).claim({ agentId: DEMO_AGENT, name: DEMO_AGENT_NAME, now });
    const store = memoryStore(tx, brandId);
    for (const { days, ...fields } of demoMemories()) {
      await store.insert(
        { ...fields, memoryId: newId(), agentId: DEMO_AGENT, description: null },
        secondsFrom(now, -days * DAY),
      );
    }
  });
  await failConversation(db, brandId, secondsFrom(now, -3 * DAY));
  for (const conversation of CONVERSATIONS) await receive(db, brandId, conversation, now);
  const { signal } = new AbortController();
  await memory.consolidateAll(signal);
  await memory.exportAll(signal);
  return { agentId: DEMO_AGENT, name: DEMO_AGENT_NAME };
}

const receive = (db: Db, brandId: number, { name, said }: (typeof CONVERSATIONS)[number], now: Date) =>
  conversationStore(db, brandId).receive(
    {
      agentId: DEMO_AGENT,
      sourceId: null,
      sourceType: 'claude_code',
      externalId: name,
      messages: said.map((content) => ({ role: 'user', content, at: now.toISOString() })),
      extent: 'whole',
    },
    now,
  );

async function failConversation(db: Db, brandId: number, began: Date): Promise<void> {
  const queue = conversationQueue(db);
  await receive(db, brandId, FAILED_CONVERSATION, began);
  for (let at = began; ; at = secondsFrom(at, DAY / 2)) {
    const claim = await queue.claimDue('all', at);
    if (!claim) return;
    await queue.fail(claim, 'The model answered 503', at);
  }
}

function demoMemories(): DemoMemory[] {
  const memories: DemoMemory[] = [];
  const add = (kind: Kind, title: string, fields: Partial<DemoMemory> = {}) =>
    memories.push({
      kind,
      title,
      body: `${title}.`,
      tags: [],
      importance: (['normal', 'normal', 'low', 'high'] as const)[memories.length % 4]!,
      confidence: 0.6 + (memories.length % 9) * 0.05,
      days: (memories.length * 7) % 200,
      ...fields,
    });
  for (const service of SERVICES) {
    for (const fact of FACTS) add('fact', `The ${service} service ${fact}`, { tags: [service] });
    for (const decision of DECISIONS)
      add('decision', `The ${service} service ${decision}`, { tags: [service, 'roadmap'] });
    // Some tags occur at least three times, which turns their learnings into patterns.
    for (const [learning, tag] of LEARNINGS.slice(0, 2))
      add('learning', `The ${service} service ${learning}`, { tags: [tag] });
    for (const [learning] of LEARNINGS.slice(2)) add('learning', `The ${service} service ${learning}`);
  }
  for (const person of PEOPLE) {
    for (const wish of WISHES)
      add('preference', `${person.charAt(0).toUpperCase()}${person.slice(1)} prefers ${wish}`);
    for (const service of SERVICES)
      add(
        'fact',
        `${person.charAt(0).toUpperCase()}${person.slice(1)} looks after the ${service} service in odd weeks`,
      );
  }
  for (let week = 1; week <= 26; week += 1) {
    add(
      'summary',
      `Week ${week}: ${3 + (week % 5)} cards were finished, ${week % 3} of them about ${SERVICES[week % SERVICES.length]}`,
      { days: week * 7 },
    );
  }
  add('decision', 'Robots stop within half a second when a person steps over the yellow line', {
    importance: 'critical',
    confidence: 1,
    days: 180,
  });
  return memories;
}
