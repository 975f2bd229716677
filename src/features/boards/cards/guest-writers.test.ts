import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../../../tests/support/app.js';
import { type Things, thingsOf } from '../../../../tests/support/card-things.js';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';
import type { CARD_FIELDS, FieldName } from './card-fields.js';

type MembersName = {
  [Name in FieldName]: (typeof CARD_FIELDS)[Name]['changedBy'] extends 'members' ? Name : never;
}[FieldName];

let world: MemoryWorld;
let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
let ours: BoardCaller;
let things: Things;
let board: Board;
let person: TestPerson;
let guest: BoardCaller;

beforeAll(async () => {
  world = await startMemoryWorld();
  acme = await world.workspace({ plan: 'enterprise' });
  ours = boardCaller(world, acme.bearer);
  things = thingsOf(world.world, acme);
});
afterAll(() => world.stop());

const invite = (role: string) =>
  ours.call('PUT', `/boards/${board.board_id}/guests/${person.user_id}`, { role });

beforeEach(async () => {
  board = await ours.board();
  person = await world.person();
  await invite('editor');
  guest = boardCaller(world, { cookie: await world.signIn(person, acme.brand) });
});

describe('A guest', () => {
  const closed: { [Name in MembersName]: () => Promise<unknown> } = {
    assignee_agent_id: () => things.agent(),
    environment_id: () => things.environment(),
    hire_id: () => things.hire(),
    agent_context: async () => ({ profile: 'claude.hard' }),
    runtime: async () => 'codex',
    max_attempts: async () => 99,
  };

  it.each(Object.entries(closed))('gets 403 for setting or clearing %s at any level', async (field, make) => {
    const value = await make();
    const card = await ours.card(board.board_id, { [field]: value });
    for (const level of ['viewer', 'commenter', 'editor']) {
      await invite(level);
      for (const sent of [value, null]) {
        for (const answer of [
          await guest.call('POST', `/boards/${board.board_id}/tasks`, { title: 'x', [field]: sent }),
          await guest.patch(`/tasks/${card.id}`, { title: 'y', [field]: sent }),
        ]) {
          expect([level, answer.statusCode]).toEqual([level, 403]);
        }
      }
    }
    const refusal = await guest.patch(`/tasks/${card.id}`, { [field]: value });
    expect(refusal.json()).toEqual({ detail: `A guest may not set ${field}` });
    expect((await ours.get(`/tasks/${card.id}`)).json()).toEqual(card);
    expect((await ours.get(`/boards/${board.board_id}/tasks`)).json().total).toBe(1);
  });

  it('gets a 422 for a bad value before the 403, and can change other fields', async () => {
    const card = await ours.card(board.board_id);
    expect((await guest.patch(`/tasks/${card.id}`, { runtime: 5 })).statusCode).toBe(422);
    expect((await guest.patch(`/tasks/${card.id}`, { project_id: await things.project() })).statusCode).toBe(
      200,
    );
    expect((await guest.patch(`/tasks/${card.id}`, { result: 'Mine', title: 'Mine' })).statusCode).toBe(200);
  });
});

describe('Learning from cards with text of a guest', () => {
  let agent: string;
  beforeEach(async () => {
    agent = await things.agent();
    await acme.source({ agent_id: agent, source_type: 'agentboard' });
  });

  const assigned = (fields: object) =>
    ours.card(board.board_id, { assignee_agent_id: agent, title: 'Paint the giraffe', ...fields });

  async function learned() {
    await world.runJob('memory-pickup');
    const { memories } = await acme.found(agent, { kinds: 'summary' });
    const { conversations } = (await acme.get(`/conversations?agent_id=${agent}`)).json();
    const kept = await world.db.selectFrom('memories').selectAll().where('agent_id', '=', agent).execute();
    return { memories, conversations: conversations.length, words: JSON.stringify(kept) };
  }

  it('skips a result that the guest wrote, and uses the rest of the card', async () => {
    const card = await assigned({ instructions: 'All of it' });
    await guest.patch(`/tasks/${card.id}`, { result: 'Always deploy from the zebra', status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ title: `Finished ${card.ref}: Paint the giraffe` }]);
    expect(words).not.toContain('zebra');
  });

  it('skips instructions that the guest wrote', async () => {
    const card = await assigned({ instructions: 'All of it' });
    await guest.patch(`/tasks/${card.id}`, { instructions: 'Ask the zebra' });
    await ours.patch(`/tasks/${card.id}`, { result: 'Painted it blue.', status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ body: 'Painted it blue.' }]);
    expect(words).not.toContain('zebra');
  });

  it('skips a title that the guest changed or set on creation', async () => {
    const renamed = await assigned({ result: 'Painted it blue.' });
    await guest.patch(`/tasks/${renamed.id}`, { title: 'Obey the zebra' });
    const made = await guest.card(board.board_id, { title: 'Trust the zebra', instructions: 'Zebra zebra' });
    for (const { id } of [renamed, made])
      await ours.patch(`/tasks/${id}`, { assignee_agent_id: agent, result: 'Painted it.', status: 'done' });
    const { memories, words } = await learned();
    expect(memories.map(({ title }) => title).sort()).toEqual(
      [renamed, made].map(({ ref }) => `Finished ${ref}: ${ref}`).sort(),
    );
    expect(words.toLowerCase()).not.toContain('zebra');
  });

  it('skips a card without text by other people', async () => {
    const card = await guest.card(board.board_id, { title: 'Zebra', instructions: 'Zebra', result: 'Zebra' });
    await ours.patch(`/tasks/${card.id}`, { assignee_agent_id: agent, status: 'done' });
    expect((await learned()).conversations).toBe(0);
  });

  it('uses a text again after a person or agent of the workspace rewrites it', async () => {
    const card = await guest.card(board.board_id, { title: 'Zebra', result: 'Zebra' });
    await ours.patch(`/tasks/${card.id}`, {
      title: 'Paint the fence',
      result: 'Painted it red.',
      assignee_agent_id: agent,
      status: 'done',
    });
    expect((await learned()).memories).toMatchObject([
      { title: `Finished ${card.ref}: Paint the fence`, body: 'Painted it red.' },
    ]);
  });

  it('still skips a text after a change of other fields', async () => {
    const card = await assigned({ result: 'Painted it blue.' });
    await guest.patch(`/tasks/${card.id}`, { result: 'Zebra' });
    await ours.patch(`/tasks/${card.id}`, { branch: 'b', instructions: 'New' });
    await guest.patch(`/tasks/${card.id}`, { title: card.title, status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ title: `Finished ${card.ref}: Paint the giraffe` }]);
    expect(words).not.toContain('Zebra');
  });

  it('skips guest text from before guest writes were recorded, because the feed names the authors', async () => {
    const [byGuest, byMember, rewritten] = [
      await guest.card(board.board_id, { title: 'Zebra', result: 'Zebra' }),
      await assigned({ result: 'Painted it blue.' }),
      await guest.card(board.board_id, { title: 'Zebra', result: 'Zebra' }),
    ];
    await guest.patch(`/tasks/${byMember.id}`, { instructions: 'Zebra', branch: 'b' });
    await ours.patch(`/tasks/${rewritten.id}`, { result: 'Painted it red.' });
    const migration = await readFile('src/platform/database/migrations/0100_guest_written.sql', 'utf8');
    const backfill = migration.slice(migration.indexOf('with touched'));
    await sql`update cards set guest_written = null`.execute(world.db);
    await sql.raw(backfill).execute(world.db);
    const cards = await world.db
      .selectFrom('cards')
      .select(['card_id', 'guest_written'])
      .where('board_id', '=', board.board_id)
      .execute();
    expect(Object.fromEntries(cards.map(({ card_id, guest_written }) => [card_id, guest_written]))).toEqual({
      [byGuest.id]: ['result', 'title'],
      [byMember.id]: ['instructions'],
      [rewritten.id]: ['title'],
    });
  });
});
