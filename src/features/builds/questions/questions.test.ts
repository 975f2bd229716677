import { describe, expect, it } from 'vitest';
import { type FakeDesk, type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const HOUR_S = 3600;

async function open(options: object = {}) {
  const room = await world.furnish();
  const desk = await room.readyDesk();
  const card = await room.card();
  const { build_id: id } = await room.build(card.id);
  const { claim } = await room.take(desk);
  const ask = (body: object) =>
    room.say(desk, 'POST', `builds/${id}/questions`, {
      claim,
      payload: { key: 'a', question: 'Which?', ...body },
    });
  const asked = await ask(options);
  return { room, desk, card, id, claim, ask, asked, questionId: asked.body.question_id as string };
}

const listOf = async (room: Furnished, id: string) =>
  (await room.call<{ questions: Record<string, unknown>[] }>('GET', `/api/v1/factory/builds/${id}/questions`))
    .body.questions;
const answer = (room: Furnished, id: string, questionId: string, body: object) =>
  room.call<{ detail: string }>('POST', `/api/v1/factory/builds/${id}/questions/${questionId}/answer`, body);
const answersFor = async (room: Furnished, desk: FakeDesk, fields: object = {}) =>
  (await room.work(desk, { slots: 0, ...fields })).filter(({ kind }) => (kind as string) === 'answer');

describe('POST /desk/builds/{build_id}/questions', () => {
  it('makes the build wait and answers the same question for the same key', async () => {
    const { room, id, ask, asked, questionId } = await open({ choices: ['red', 'blue'] });
    expect(asked.status).toBe(200);
    expect(await room.get(id)).toMatchObject({
      status: 'waiting',
      waiting_for: 'answer',
      waiting_reason: 'Which?',
      finished_at: null,
    });
    expect((await ask({ question: 'Again?' })).body).toEqual({ question_id: questionId });
    expect(await listOf(room, id)).toMatchObject([
      { question_id: questionId, question: 'Which?', choices: ['red', 'blue'], status: 'open', answer: null },
    ]);
  });

  it('puts the question into the inbox of the person who started the build', async () => {
    const { room, card } = await open();
    const { body } = await room.call<{ items: object[] }>('GET', '/api/v1/me/inbox?kind=build_question');
    expect(body.items).toMatchObject([{ excerpt: 'Which?', task: { task_id: card.id } }]);
  });

  it.each([
    { key: '' },
    { key: 'k'.repeat(101) },
    { question: '' },
    { question: ' '.repeat(10_000) },
    { question: 'q'.repeat(10_001) },
    { choices: [] },
    { choices: ['a', 'a'] },
    { minutes: 0 },
  ])('refuses invalid input with 422: case %#', async (body) => {
    const { ask } = await open();
    expect((await ask({ key: 'other', ...body })).status).toBe(422);
  });

  it('needs the claim of the build', async () => {
    const { room, desk, id } = await open();
    const said = await room.say(desk, 'POST', `builds/${id}/questions`, {
      claim: 'wrong',
      payload: { key: 'b', question: 'Which?' },
    });
    expect(said.status).toBe(409);
  });

  it('keeps the log and the token of the coder open while the build waits', async () => {
    const { room, desk, id, claim } = await open();
    expect((await room.log(desk, id, claim, 1, 'still here\n')).status).toBe(200);
    expect(await room.work(desk, { slots: 0, running: [id] })).toEqual([]);
  });
});

describe('POST /factory/builds/{build_id}/questions/{question_id}/answer', () => {
  it('continues the build and sends the answer until the desk confirms it', async () => {
    const { room, desk, id, questionId } = await open({ choices: ['red', 'blue'] });
    const said = await answer(room, id, questionId, { choice: 'blue', text: 'like the sky' });
    expect(said).toMatchObject({ status: 200, body: { status: 'answered', answer: { choice: 'blue' } } });
    expect(await room.get(id)).toMatchObject({ status: 'running', waiting_for: null, waiting_reason: null });
    const order = {
      kind: 'answer',
      build_id: id,
      question_id: questionId,
      choice: 'blue',
      text: 'like the sky',
    };
    expect(await answersFor(room, desk)).toEqual([order]);
    await world.advance(24 * HOUR_S);
    expect((await room.get(id)).status).toBe('lost');
  });

  it('repeats the order until the question is in `answered`', async () => {
    const { room, desk, id, questionId } = await open();
    await answer(room, id, questionId, { text: 'red' });
    expect(await answersFor(room, desk, { running: [id] })).toHaveLength(1);
    expect(await answersFor(room, desk, { running: [id] })).toHaveLength(1);
    expect(await answersFor(room, desk, { running: [id], answered: [questionId] })).toEqual([]);
    expect(await answersFor(room, desk, { running: [id] })).toEqual([]);
  });

  it('waits until every question is answered', async () => {
    const { room, id, ask, questionId } = await open();
    const second = (await ask({ key: 'b', question: 'And?' })).body.question_id;
    await answer(room, id, questionId, { text: 'red' });
    expect((await room.get(id)).status).toBe('waiting');
    await answer(room, id, second, { text: 'yes' });
    expect((await room.get(id)).status).toBe('running');
  });

  it('counts the first answer and refuses later ones with 409', async () => {
    const { room, id, questionId } = await open();
    const both = await Promise.all(['red', 'blue'].map((text) => answer(room, id, questionId, { text })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await answer(room, id, questionId, { text: 'green' })).body.detail).toBe(
      'This question is answered',
    );
  });

  it.each([
    [{}, undefined],
    [{ text: ' ' }, undefined],
    [{ choice: 'green' }, ['red']],
    [{ choice: 'red' }, undefined],
    [{ text: 'x'.repeat(10_001) }, undefined],
  ])('refuses an answer that does not fit with 422: case %#', async (body, choices) => {
    const { room, id, questionId } = await open({ choices });
    expect((await answer(room, id, questionId, body)).status).toBe(422);
    expect((await room.get(id)).status).toBe('waiting');
  });

  it('refuses a token that only reads, and hides the question from another workspace', async () => {
    const { room, id, questionId } = await open();
    const other = await world.furnish();
    expect((await answer(other, id, questionId, { text: 'red' })).status).toBe(404);
    const { brand } = room.space;
    const token = await world.token(brand, await world.member(brand), ['brand:read']);
    const response = await world.inject({
      method: 'POST',
      url: `/api/v1/factory/builds/${id}/questions/${questionId}/answer`,
      headers: { authorization: `Bearer ${token}` },
      payload: { text: 'red' },
    });
    expect(response.statusCode).toBe(403);
  });

  it('refuses an answer after the build was canceled', async () => {
    const { room, desk, id, claim, questionId } = await open();
    await room.call('POST', `/api/v1/factory/builds/${id}/cancel`);
    expect((await room.work(desk, { slots: 0, running: [id] })).map(({ kind }) => kind)).toEqual(['cancel']);
    expect((await room.finish(desk, id, claim, { outcome: 'canceled' })).status).toBe(200);
    expect((await answer(room, id, questionId, { text: 'red' })).status).toBe(409);
    expect(await listOf(room, id)).toMatchObject([{ status: 'expired' }]);
  });
});

describe('A build that waits for an answer', () => {
  it('is neither lost, stalled nor timed out, and its clocks continue afterwards', async () => {
    const { room, desk, id, questionId } = await open();
    await world.advance(48 * HOUR_S);
    await world.runJob('build-pass');
    expect(await room.get(id)).toMatchObject({ status: 'waiting', silent: false, stalled: false });
    await answer(room, id, questionId, { text: 'red' });
    await world.advance(300);
    await room.work(desk, { slots: 0, running: [id] });
    await world.runJob('build-pass');
    expect((await room.get(id)).status).toBe('running');
  });

  it('runs again without an answer after `policy.question_hours`, and a late answer gets 409', async () => {
    const { room, desk, id, questionId } = await open();
    await world.advance(72 * HOUR_S - 1);
    await world.runJob('build-pass');
    expect((await room.get(id)).status).toBe('waiting');
    await world.advance(1);
    await world.runJob('build-pass');
    expect((await room.get(id)).status).toBe('running');
    expect(await answersFor(room, desk, { running: [id] })).toEqual([
      { kind: 'answer', build_id: id, question_id: questionId, expired: true },
    ]);
    expect((await answer(room, id, questionId, { text: 'red' })).body.detail).toBe(
      'This question is expired',
    );
  });

  it('expires after `minutes` when that is shorter', async () => {
    const { room, id } = await open({ minutes: 5 });
    await world.advance(300);
    await world.runJob('build-pass');
    expect((await room.get(id)).status).toBe('running');
    expect(await listOf(room, id)).toMatchObject([{ status: 'expired', answer: null }]);
  });

  it('is lost like any other when it was canceled and its desk stays silent', async () => {
    const { room, id } = await open();
    await room.call('POST', `/api/v1/factory/builds/${id}/cancel`);
    await world.advance(599);
    expect((await room.get(id)).status).toBe('running');
    await world.advance(2);
    expect((await room.get(id)).status).toBe('lost');
  });

  it('can be finished by its desk', async () => {
    const { room, desk, id, claim } = await open();
    expect((await room.finish(desk, id, claim, { outcome: 'succeeded' })).status).toBe(200);
    expect((await room.get(id)).status).toBe('succeeded');
  });
});
