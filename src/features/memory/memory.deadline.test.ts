import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../tests/support/memory.js';
import type { ApiError } from '../../kernel/errors.js';
import { answerWithin } from '../../platform/http/answer/error-answer.js';
import { publicAccess, type RouteRequest, route } from '../../platform/http/declaration/route.js';
import { memoryDeadline } from './memory.errors.js';

const statusOf = (error: Error) => memoryDeadline.translateFailure(error)?.status;

function askForEver(): Promise<object> {
  const declaration = route({
    name: 'do_things',
    method: 'GET',
    path: '/never',
    summary: 'A test',
    tags: ['Test'],
    access: publicAccess(),
    responses: { 200: null },
    errors: [],
    handler: () => new Promise<object>(() => {}),
  });
  return Promise.resolve(
    answerWithin(memoryDeadline, declaration).handler(
      {} as RouteRequest<never, Record<never, never>, never, never>,
    ),
  );
}

describe('Memory service timeout', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('answers 504 after 30 seconds', async () => {
    vi.useFakeTimers();
    const answer = askForEver().catch((error: ApiError) => error.status);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toBe(504);
  });

  it('answers 502 when the database is unreachable and 504 when it canceled the statement', async () => {
    expect(statusOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }))).toBe(
      502,
    );
    expect(statusOf(new Error('Connection terminated unexpectedly'))).toBe(502);
    expect(statusOf(Object.assign(new Error('canceling statement'), { code: '57014' }))).toBe(504);
    expect(statusOf(new Error('Query read timeout'))).toBe(504);
    expect(statusOf(new Error('a fault of ours'))).toBeUndefined();
  });
});

describe('A database that hangs', () => {
  let world: MemoryWorld;
  let acme: Awaited<ReturnType<MemoryWorld['workspace']>>;
  let holder: pg.Client;

  beforeAll(async () => {
    world = await startMemoryWorld();
    acme = await world.workspace();
    await acme.made({ agent_id: 'agent-hang', title: 'Before the hang' });
    holder = new pg.Client(world.database.connection);
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await world.stop();
  });

  /** Makes the deadline expire at once and leaves other timers unchanged. */
  function hurryDeadline() {
    const start = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) =>
      start(run, ms === memoryDeadline.milliseconds ? 1 : ms)) as typeof setTimeout);
  }

  it('is answered with 504 within the deadline', async () => {
    await holder.query('begin; lock table memories in access exclusive mode');
    hurryDeadline();
    const answers = await Promise.all([
      acme.search('agent-hang', { query: 'hang' }),
      acme.create({ agent_id: 'agent-hang' }),
      acme.stats(),
    ]);
    vi.restoreAllMocks();
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([504, 504, 504]);
    await holder.query('rollback');
    expect((await acme.found('agent-hang', { query: 'hang' })).count).toBeGreaterThan(0);
  });
});
