import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEventParser } from '../../client/src/core/event-parser.js';
import type { ActivityEntry, Board, ServerEvent } from '../../client/src/index.js';
import { type ClientWorld, startClientWorld, startLine, startScriptedServer } from './client-world.js';

let here: ClientWorld;
let line: Awaited<ReturnType<typeof startLine>>;
let board: Board;

beforeAll(async () => {
  here = await startClientWorld();
});
afterAll(() => here.stop());

beforeEach(async () => {
  line = await startLine(here.port);
  board = await here.client.createBoard({ name: 'Live', board_type: 'build' });
});
afterEach(() => line.stop());

const make = (title: string) => here.client.createTask({ board_id: board.board_id, title });

/** Follows the board through the proxy. */
function follow() {
  const controller = new AbortController();
  const states: string[] = [];
  let reached = () => {};
  const opened = () =>
    new Promise<void>((resolve) => {
      reached = resolve;
    });
  const first = opened();
  const events = here.clientOf({ url: line.url }).stream(
    'streamBoardActivity',
    { board_id: board.board_id },
    {
      signal: controller.signal,
      onState: (state) => {
        states.push(state);
        if (state === 'open') reached();
      },
    },
  );
  const next = async (): Promise<ServerEvent<ActivityEntry>> => {
    const { value, done } = await events.next();
    if (done) throw new Error('The stream ended');
    return value;
  };
  return { next, states, first, opened, events, stop: (reason?: unknown) => controller.abort(reason) };
}

describe('client.stream', () => {
  it('yields each event once over a connection that breaks repeatedly', async () => {
    const stream = follow();
    const seen: (string | null)[] = [];
    const made: string[] = [];
    const pending = stream.next();
    await stream.first;
    for (let round = 0; round < 4; round += 1) {
      made.push((await make(`Round ${round}`)).id);
      const event = round === 0 ? await pending : await stream.next();
      expect(event.event).toBe('task.created');
      seen.push(event.data.task_id);
      line.cut();
      made.push((await make('Meanwhile')).id);
      seen.push((await stream.next()).data.task_id);
    }
    expect(seen).toEqual(made);
    expect(stream.states.filter((state) => state === 'lost').length).toBeGreaterThanOrEqual(4);
    stream.stop();
  });

  it('loses no event when the connection breaks before the first one', async () => {
    const stream = follow();
    const pending = stream.next();
    await stream.first;
    const back = stream.opened();
    line.close();
    const card = await make('Nobody listens');
    line.reopen();
    await back;
    expect((await pending).data.task_id).toBe(card.id);
    stream.stop();
  });

  it('yields the deletion of the board, then throws because it no longer exists', async () => {
    const stream = follow();
    const pending = stream.next();
    await stream.first;
    await here.client.deleteBoard({ board_id: board.board_id });
    expect(await pending).toMatchObject({
      event: 'board.updated',
      data: { changes: { deleted: { from: false, to: true } } },
    });
    await expect(stream.next()).rejects.toMatchObject({ status: 404 });
  });

  it('throws immediately when the first connection is refused', async () => {
    const missing = here.client.stream('streamBoardActivity', { board_id: crypto.randomUUID() });
    await expect(missing.next()).rejects.toMatchObject({ status: 404, detail: 'Board not found' });
    await line.stop();
    const nobody = here
      .clientOf({ url: line.url })
      .stream('streamBoardActivity', { board_id: board.board_id });
    await expect(nobody.next()).rejects.toMatchObject({ status: 0 });
    line = await startLine(here.port);
  });

  it("rejects with the signal's reason, and closes the connection when the reader stops", async () => {
    const stream = follow();
    const pending = stream.next();
    await stream.first;
    stream.stop(new Error('Enough'));
    await expect(pending).rejects.toThrow('Enough');

    const other = follow();
    const waiting = other.next();
    await other.first;
    await make('One');
    await waiting;
    await other.events.return();
    expect(await other.events.next()).toEqual({ value: undefined, done: true });
  });

  it('has a method for each operation', async () => {
    const controller = new AbortController();
    const events = here.client.streamBoardActivity(
      { board_id: board.board_id },
      { signal: controller.signal },
    );
    const first = events.next();
    const opening = setInterval(() => void make('Again'), 50);
    expect((await first).value?.data.action).toBe('task.created');
    clearInterval(opening);
    await events.return();
  });
});

describe('The end of a client stream', () => {
  const events = (text: string) => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: text,
  });

  it('ends with the event `end`, which is not yielded', async () => {
    const server = await startScriptedServer([
      events('id: 1\nevent: index\ndata: {"status":"running"}\n\n'),
      events('id: 2\nevent: index\ndata: {"status":"ready"}\n\nevent: end\ndata: {}\n\n'),
    ]);
    const told: unknown[] = [];
    const stream = here.clientOf({ url: server.url }).stream('streamProjectIndex', { project_id: 'p' });
    for await (const { data } of stream) told.push(data.status);
    expect(told).toEqual(['running', 'ready']);
    expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1']);
    await server.stop();
  });

  it('throws when a page comes instead of a stream', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
    const server = await startScriptedServer([page]);
    const stream = here.clientOf({ url: server.url }).stream('streamProjectIndex', { project_id: 'p' });
    await expect(stream.next()).rejects.toMatchObject({
      name: 'GuildhallError',
      status: 200,
      detail: expect.stringContaining('no stream of events'),
    });
    expect(server.seen).toHaveLength(1);
    await server.stop();
  });

  it('drops received events after an abort', async () => {
    const two = 'id: 1\ndata: {"status":"running"}\n\nid: 2\ndata: {"status":"ready"}\n\n';
    const server = await startScriptedServer([events(two)]);
    const controller = new AbortController();
    const stream = here
      .clientOf({ url: server.url })
      .stream('streamProjectIndex', { project_id: 'p' }, { signal: controller.signal });
    await stream.next();
    controller.abort(new Error('Enough'));
    await expect(stream.next()).rejects.toThrow('Enough');
    await server.stop();
  });

  it('throws after a refusal or an event that is not JSON, without a retry', async () => {
    const server = await startScriptedServer([
      events('data: {"status":"running"}\n\n'),
      { status: 401, body: { detail: 'Gone' } },
    ]);
    const stream = here.clientOf({ url: server.url }).stream('streamProjectIndex', { project_id: 'p' });
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ status: 401, detail: 'Gone' });
    await server.stop();

    const broken = await startScriptedServer([events('data: {"sta\n\n')]);
    const other = here.clientOf({ url: broken.url }).stream('streamProjectIndex', { project_id: 'p' });
    await expect(other.next()).rejects.toMatchObject({ detail: 'The event is not JSON' });
    expect(broken.seen).toHaveLength(1);
    await broken.stop();
  });
});

describe('Event parser', () => {
  const parse = (...pieces: string[]) => {
    const parser = createEventParser();
    return { events: pieces.flatMap((piece) => parser.feed(piece)), lastId: parser.lastId() };
  };

  it.each([
    ['whole', ['id: 1\nevent: a\ndata: x\n\n']],
    ['in chunks', ['i', 'd: 1\neve', 'nt: a\nda', 'ta: x\n', '\n']],
    ['with other line breaks', ['id: 1\r', '\nevent: a\r\ndata: x\r\n\r\n']],
    ['after a byte order mark and comments', ['\uFEFF: hello\n\nid: 1\nevent:a\ndata:x\n\n']],
  ])('reads an event %s', (_, pieces) => {
    expect(parse(...pieces).events).toEqual([{ id: '1', event: 'a', data: 'x' }]);
  });

  it('joins lines, uses the default event name, keeps the id, and drops incomplete events', () => {
    const { events, lastId } = parse('id: 7\ndata: a\ndata: b\n\ndata: c\n\nid: 8\n\nid: 9\ndata: cut off\n');
    expect(events).toEqual([
      { id: '7', event: 'message', data: 'a\nb' },
      { id: '7', event: 'message', data: 'c' },
    ]);
    expect(lastId).toBe('8');
  });
});
