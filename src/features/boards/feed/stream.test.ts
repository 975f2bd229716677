import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import type { ActivityEntry, Board } from '../boards.schemas.js';
import { type BoardCaller, boardCaller, type Headers } from '../boards.test-support.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

let world: World;
let url: string;
let workspace: Workspace;
let ours: BoardCaller;
let board: Board;

beforeAll(async () => {
  world = await startTestApp();
  url = await world.server.listen({ port: 0, host: '127.0.0.1' });
  workspace = await world.workspace();
  ours = boardCaller(world, workspace.bearer);
  board = await ours.board();
});
afterAll(() => world.stop());

interface Event {
  id: string;
  event: string;
  data: ActivityEntry;
}

/** A client that reads the stream event by event over a real socket. */
async function connect(headers: Headers, base = url, boardId = board.board_id) {
  const controller = new AbortController();
  const response = await fetch(`${base}/api/v1/board/activity/boards/${boardId}/stream`, {
    headers,
    signal: controller.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const nextBlock = async (): Promise<string | undefined> => {
    while (!text.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += value;
    }
    const end = text.indexOf('\n\n');
    const block = text.slice(0, end);
    text = text.slice(end + 2);
    return block.startsWith(':') ? nextBlock() : block;
  };
  const firstBlock = nextBlock();
  firstBlock.catch(() => {});
  return {
    response,
    close: () => controller.abort(),
    firstId: async () => (await firstBlock)!.slice('id: '.length),
    next: async (): Promise<Event | undefined> => {
      await firstBlock;
      const block = await nextBlock();
      if (block === undefined) return undefined;
      const fields = Object.fromEntries(
        block
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      return { id: fields['id']!, event: fields['event']!, data: JSON.parse(fields['data']!) };
    },
  };
}

/** Channels for permissions and workspace settings, whose messages are sent with the commit. */
const RULES = ['guildhall_settings', 'guildhall_identity'];

describe('GET /api/v1/board/activity/boards/{board_id}/stream', () => {
  it('learns of writes without messages in their commits, which would serialize all commits', async () => {
    const listener = new pg.Client(world.database.connection);
    await listener.connect();
    const { rows } = await listener.query(
      "select pid from pg_stat_activity where application_name = 'guildhall-listener' and datname = current_database()",
    );
    const heard: [string, boolean][] = [];
    listener.on('notification', ({ payload = '', processId }) => {
      const { channel } = JSON.parse(payload);
      if (RULES.includes(channel)) return;
      heard.push([channel, rows.some(({ pid }) => pid === processId)]);
    });
    await listener.query('listen guildhall');
    const member = await world.member(workspace.brand);
    const own = await ours.board();
    const card = await ours.card(own.board_id, { assignee: member.user_id });
    await ours.patch(`/tasks/${card.id}`, { title: 'Another' });
    await ours.patch(`/tasks/${card.id}`, { instructions: 'Look again' });
    await ours.call('POST', `/tasks/${card.id}/comments`, { body: 'Well' });
    await ours.call('POST', '/tasks:batch', { tasks: [{ task_id: card.id, set: { priority: 'low' } }] });
    await ours.call('DELETE', `/tasks/${card.id}`);
    const both = ['guildhall_board_activity', 'guildhall_inbox'];
    await expect.poll(() => both.every((channel) => heard.some(([each]) => each === channel))).toBe(true);
    expect(heard.filter(([, isListener]) => !isListener)).toEqual([]);
    await listener.end();
  });

  it('sends each entry of the feed as it happens, as server-sent events', async () => {
    const stream = await connect(workspace.bearer);
    expect(stream.response.headers.get('content-type')).toContain('text/event-stream');
    const card = await ours.card(board.board_id);
    await ours.patch(`/tasks/${card.id}`, { status: 'done' });
    expect(await stream.next()).toMatchObject({ event: 'task.created', data: { task_id: card.id } });
    const moved = await stream.next();
    const { items } = (await ours.get(`/activity/boards/${board.board_id}?limit=1`)).json();
    expect(moved).toMatchObject({ event: 'task.moved', data: items[0] });
    stream.close();
  });

  it('continues from Last-Event-ID without a gap, also on another node', async () => {
    const second = await startTestApp({ database: world.database });
    try {
      const otherUrl = await second.server.listen({ port: 0, host: '127.0.0.1' });
      const stream = await connect(workspace.bearer);
      await ours.card(board.board_id, { title: 'seen' });
      const { id } = (await stream.next())!;
      stream.close();
      const missed = [await ours.card(board.board_id), await ours.card(board.board_id)];
      const again = await connect({ ...workspace.bearer, 'last-event-id': id }, otherUrl);
      expect((await again.next())!.data.task_id).toBe(missed[0]!.id);
      expect((await again.next())!.data.task_id).toBe(missed[1]!.id);
      const live = await ours.card(board.board_id);
      expect((await again.next())!.data.task_id).toBe(live.id);
      again.close();
    } finally {
      await second.stop();
    }
  });

  it('starts with the id to resume from, so that nothing is lost before the first event', async () => {
    const own = await ours.board();
    const stream = await connect(workspace.bearer, url, own.board_id);
    const id = await stream.firstId();
    stream.close();
    const missed = await ours.card(own.board_id);
    const again = await connect({ ...workspace.bearer, 'last-event-id': id }, url, own.board_id);
    expect((await again.next())!.data.task_id).toBe(missed.id);
    again.close();
  });

  it('shares its cursors with the feed, which does not repeat entries of the stream', async () => {
    const own = await ours.board();
    const { next_cursor } = (await ours.get(`/activity/boards/${own.board_id}`)).json();
    const stream = await connect({ ...workspace.bearer, 'last-event-id': next_cursor }, url, own.board_id);
    await ours.card(own.board_id);
    const { id } = (await stream.next())!;
    stream.close();
    expect((await ours.get(`/activity/boards/${own.board_id}?since=${id}`)).json().items).toEqual([]);
  });

  it('sends more than one batch to a reader who returns late', async () => {
    const own = await ours.board();
    const { next_cursor } = (await ours.get(`/activity/boards/${own.board_id}`)).json();
    const card = await ours.card(own.board_id);
    for (let i = 0; i < 120; i++) await ours.patch(`/tasks/${card.id}?return=receipt`, { attempt: i + 1 });
    const stream = await connect({ ...workspace.bearer, 'last-event-id': next_cursor }, url, own.board_id);
    await stream.next();
    for (let i = 0; i < 120; i++) expect((await stream.next())!.data.changes['attempt']?.to).toBe(i + 1);
    stream.close();
  });

  it('ends when the guest is removed, and when the token is revoked or has expired', async () => {
    const person = await world.person();
    await ours.call('PUT', `/boards/${board.board_id}/guests/${person.user_id}`, { role: 'viewer' });
    const guest = await connect({ cookie: await world.signIn(person, workspace.brand) });
    await ours.call('DELETE', `/boards/${board.board_id}/guests/${person.user_id}`);
    expect(await guest.next()).toBeUndefined();

    const made = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${workspace.brand.brand_id}/tokens`,
      {
        user_id: workspace.admin.user_id,
        scopes: [],
        name: 'short',
      },
    );
    const holder = await connect({ authorization: `Bearer ${made.token}` });
    await world.operator('DELETE', `/tokens/${made.token_id}`);
    expect(await holder.next()).toBeUndefined();

    const expires_at = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const brief = await world.token(workspace.brand, workspace.admin, [], { expires_at });
    const late = await connect({ authorization: `Bearer ${brief}` });
    await world.advance(61);
    await ours.call('PATCH', `/boards/${board.board_id}`, { name: 'After the end' });
    expect(await late.next()).toBeUndefined();
  });

  it('sends a final event when the board is deleted, and ends', async () => {
    const own = await ours.board();
    await ours.card(own.board_id);
    const stream = await connect(workspace.bearer, url, own.board_id);
    await ours.call('DELETE', `/boards/${own.board_id}`);
    const { user_id, full_name: name } = workspace.admin;
    expect(await stream.next()).toMatchObject({
      event: 'board.updated',
      data: {
        action: 'board.updated',
        task_id: null,
        ref: null,
        actor: { user_id, name, agent_id: null },
        changes: { deleted: { from: false, to: true } },
      },
    });
    expect(await stream.next()).toBeUndefined();
  });

  it("returns 400 for a foreign cursor, 403 for another workspace's board and 401 without a credential", async () => {
    const foreign = await boardCaller(world, (await world.workspace()).bearer).board();
    const status = async (headers: Headers, boardId = board.board_id) => {
      const stream = await connect(headers, url, boardId);
      stream.close();
      return stream.response.status;
    };
    expect(await status({ ...workspace.bearer, 'last-event-id': 'x' })).toBe(400);
    expect(await status(workspace.bearer, foreign.board_id)).toBe(403);
    expect(await status({})).toBe(401);
  });
});
