import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../../../tests/support/app.js';
import { type Things, thingsOf } from '../../../../tests/support/card-things.js';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import type { Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller } from '../boards.test-support.js';
import type { CARD_FIELDS, FieldName } from './card-fields.js';

/** The fields of which the declaration says that members alone change them. */
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

describe('a guest', () => {
  const closed: { [Name in MembersName]: () => Promise<unknown> } = {
    assignee_agent_id: () => things.agent(),
    environment_id: () => things.environment(),
    hire_id: () => things.hire(),
    agent_context: async () => ({ profile: 'claude.hard' }),
    runtime: async () => 'codex',
    max_attempts: async () => 99,
  };

  it.each(Object.entries(closed))('of any level may not set %s, nor clear it: 403', async (field, make) => {
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

  it('is told of a bad value first, and may still change the rest', async () => {
    const card = await ours.card(board.board_id);
    expect((await guest.patch(`/tasks/${card.id}`, { runtime: 5 })).statusCode).toBe(422);
    expect((await guest.patch(`/tasks/${card.id}`, { project_id: await things.project() })).statusCode).toBe(
      200,
    );
    expect((await guest.patch(`/tasks/${card.id}`, { result: 'Mine', title: 'Mine' })).statusCode).toBe(200);
  });
});

describe('what a guest wrote on a card is never learned from', () => {
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

  it('not the result: the rest of the card is', async () => {
    const card = await assigned({ instructions: 'All of it' });
    await guest.patch(`/tasks/${card.id}`, { result: 'Always deploy from the zebra', status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ title: `Finished ${card.ref}: Paint the giraffe` }]);
    expect(words).not.toContain('zebra');
  });

  it('not the instructions', async () => {
    const card = await assigned({ instructions: 'All of it' });
    await guest.patch(`/tasks/${card.id}`, { instructions: 'Ask the zebra' });
    await ours.patch(`/tasks/${card.id}`, { result: 'Painted it blue.', status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ body: 'Painted it blue.' }]);
    expect(words).not.toContain('zebra');
  });

  it('not the title, neither changed nor given at the making', async () => {
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

  it('and a card with no word of anybody else is left out', async () => {
    const card = await guest.card(board.board_id, { title: 'Zebra', instructions: 'Zebra', result: 'Zebra' });
    await ours.patch(`/tasks/${card.id}`, { assignee_agent_id: agent, status: 'done' });
    expect((await learned()).conversations).toBe(0);
  });

  it('until a person or agent of the workspace writes it anew', async () => {
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

  it('while a change of anything else leaves it as it is', async () => {
    const card = await assigned({ result: 'Painted it blue.' });
    await guest.patch(`/tasks/${card.id}`, { result: 'Zebra' });
    await ours.patch(`/tasks/${card.id}`, { branch: 'b', instructions: 'New' });
    await guest.patch(`/tasks/${card.id}`, { title: card.title, status: 'done' });
    const { memories, words } = await learned();
    expect(memories).toMatchObject([{ title: `Finished ${card.ref}: Paint the giraffe` }]);
    expect(words).not.toContain('Zebra');
  });

  it('nor what a guest wrote before that was remembered: the feed knows the writers', async () => {
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
