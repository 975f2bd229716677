import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { crossSection } from '../../../tests/support/deep.js';
import { longestHold } from '../../../tests/support/event-loop.js';
import type { Board } from './boards.schemas.js';
import { type BoardCaller, boardCaller } from './boards.test-support.js';
import { bodiesBytes, renderBodies } from './cards/export-markdown.js';

const MIB = 1024 * 1024;
/** Far above the time that a busy machine needs for a mebibyte, and far below that of a quadratic pattern. */
const BOUND_MS = 5000;

const NASTY: Record<string, string> = {
  blanks: ' ',
  'blanks, then a break': `${' '.repeat(999)}\n`,
  'line breaks': '\n',
  'carriage returns': '\r',
  'both of them': '\r\n',
  'line separators': '\u2028',
  'next lines': '\u0085 ',
  'short lines': 'a\n',
  controls: '\u0001',
  'controls on lines': '\u0001\n\v',
  backticks: '`',
  'backticks apart': '` ',
  hashes: '# ',
  underscores: '_ ',
  stars: '*',
  brackets: '[]<|~\\',
  ampersands: '&a',
  bullets: '- ',
  tabs: '\t',
  emoji: '👩',
  accents: 'a\u0301\u0316',
  words: 'Ordinary words. ',
};
const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const cases = Object.entries(NASTY);

let world: World;
let ours: BoardCaller;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  ours = boardCaller(world, (await world.workspace()).bearer);
  board = await ours.board();
});
afterAll(() => world.stop());

/** Fills each field with the text, up to the field's limit. */
const nastyFields = (unit: string) => ({
  title: `x${filled(unit, 499)}`,
  priority: filled(unit, 50).padEnd(1, 'x'),
  labels: Array.from({ length: 100 }, (_, i) => `${i}${filled(unit, 97)}`),
  branch: filled(unit, 255),
  error_message: filled(unit, 20_000),
  agent_context: { text: filled(unit, 2_000) },
  instructions: spelled(unit),
  result: spelled(unit),
});

/** A mebibyte, or as much as fits twice into a body, because JSON escapes control characters. */
const spelled = (unit: string) =>
  filled(
    unit,
    Math.min(MIB, Math.floor((2 * MIB * Buffer.byteLength(unit)) / (JSON.stringify(unit).length - 2))),
  );

describe('A mebibyte of difficult text', () => {
  it.each(crossSection(cases, 8))(
    '%s: is written, read, listed and exported without blocking other requests',
    async (_, unit) => {
      const fields = nastyFields(unit);
      const answers: number[] = [];
      const ask = async (answer: Promise<{ statusCode: number }>) => answers.push((await answer).statusCode);
      const own = await ours.board();
      const hold = await longestHold(async () => {
        const card = await ours.card(own.board_id, fields);
        await ask(ours.patch(`/tasks/${card.id}?return=receipt`, { ...fields, result: 'x', title: 'y' }));
        await ask(ours.get(`/tasks/${card.id}`));
        await ask(ours.get(`/boards/${own.board_id}/tasks?detail=full`));
        await ask(ours.get(`/boards/${own.board_id}/export`));
        await ask(ours.get(`/boards/${own.board_id}/export?detail=full`));
      });
      expect(answers.slice(0, 4)).toEqual([200, 200, 200, 200]);
      expect([200, 413]).toContain(answers[4]);
      expect(hold).toBeLessThan(BOUND_MS);
    },
  );

  it.each(crossSection(cases, 8))(
    '%s: the size of a rendered body is known without rendering it',
    async (_, unit) => {
      for (const length of [1, 7, 1000]) {
        const bodies = { instructions: unit.repeat(length), result: `a${unit}b`.repeat(length) };
        expect(bodiesBytes(bodies)).toBe(Buffer.byteLength(renderBodies(bodies)));
      }
    },
  );

  it.each([
    ['title', 501],
    ['priority', 51],
    ['runtime', 101],
    ['branch', 256],
    ['base_branch', 256],
    ['commit_sha', 101],
    ['pr_url', 2001],
    ['pr_state', 51],
    ['checks_state', 51],
    ['review_state', 51],
    ['deploy_url', 2001],
    ['error_code', 101],
    ['error_message', 20_001],
    ['source', 101],
    ['external_url', 2001],
    ['assignee_agent_id', 256],
    ['column', 256],
    ['column_id', 256],
    ['column_name', 256],
    ['instructions', MIB + 1],
    ['result', MIB + 1],
  ])('%s has a limit: %i characters are refused by its name, and so is a mebibyte', async (field, length) => {
    for (const size of [length, MIB + 1]) {
      const text = 'x'.repeat(size);
      for (const value of field.endsWith('_url') ? [`https://${text}`.slice(0, size)] : [text]) {
        const answer = await ours.call('POST', `/boards/${board.board_id}/tasks`, {
          title: 'x',
          [field]: value,
        });
        expect(answer.statusCode).toBe(422);
        expect(answer.json().detail).toMatch(new RegExp(`^${field} must have at most`));
      }
    }
  });

  it('is refused as the name of a person, column, board or label, without repeating it in the error', async () => {
    const text = 'x'.repeat(MIB);
    const tasks = `/boards/${board.board_id}/tasks`;
    const refusals = [
      await ours.call('POST', tasks, { title: 'x', assignee: { user_id: 1, name: text } }),
      await ours.call('POST', tasks, { title: 'x', column: { name: text } }),
      await ours.call('POST', tasks, { title: 'x', column: { id: text } }),
      await ours.call('POST', tasks, { title: 'x', labels: [text] }),
      await ours.call('POST', tasks, { title: 'x', agent_context: { profile: text } }),
      await ours.call('POST', tasks, { title: 'x', project_id: text }),
      await ours.call('POST', tasks, { title: 'x', blocked_by: [text] }),
      await ours.call('POST', tasks, { title: 'x', due_at: text }),
      await ours.call('POST', '/boards', { name: text }),
      await ours.call('POST', '/boards', { name: 'x', columns: [{ name: text, status: 'done' }] }),
    ];
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual(Array(refusals.length).fill(422));
    expect(Math.max(...refusals.map(({ body }) => body.length))).toBeLessThan(1000);
  });

  it('a deeply nested agent_context is stored or refused, without a server error', async () => {
    for (const depth of [100, 1000, 5000, 8100]) {
      const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const made = await ours.call(
        'POST',
        `/boards/${board.board_id}/tasks`,
        `{"title":"x","agent_context":{"a":${nested}}}`,
      );
      expect([201, 422]).toContain(made.statusCode);
      if (made.statusCode !== 201) continue;
      const { id } = made.json();
      const patched = await ours.patch(`/tasks/${id}`, `{"agent_context":{"b":${nested}}}`);
      expect(patched.statusCode).toBe(200);
    }
    expect((await ours.get(`/boards/${board.board_id}/export`)).statusCode).toBe(200);
  });
});
