import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDue } from '../../cli/src/due.js';
import { PASSWORD } from '../support/app.js';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

describe('Values of --due', () => {
  /** A Wednesday. */
  const now = new Date(2026, 10, 18, 15, 30);
  const day = (date: number, month = 11) => new Date(2026, month - 1, date, 23, 59).toISOString();

  it.each([
    ['today', day(18)],
    ['tomorrow', day(19)],
    ['friday', day(20)],
    ['Fri', day(20)],
    ['wednesday', day(25)],
    ['tuesday', day(24)],
    ['+3d', day(21)],
    ['+2w', day(2, 12)],
    ['2026-12-01', day(1, 12)],
    ['2026-12-01T10:00:00Z', '2026-12-01T10:00:00.000Z'],
  ])('%s', (text, due) => {
    expect(readDue(text, now)).toBe(due);
  });

  it.each(['soon', '2026-02-31', '2026-13-01', '+3', '3d', 'fr', '', '2026-12-01Tnoon'])(
    'rejects %j',
    (text) => {
      expect(() => readDue(text, now)).toThrow('--due must be a day');
    },
  );
});

describe('Names instead of ids', () => {
  let world: BuildWorld;
  let room: Furnished;
  let cli: CliWorld;
  beforeAll(async () => {
    world = await startBuildWorld();
    room = await world.furnish();
    cli = await startCliWorld(world);
  });
  afterAll(() => cli?.stop());

  const env = () => ({ GUILDHALL_TOKEN: room.space.token });
  const guildhall = (args: string[]) => cli.guildhall(args, { env: env() });
  const assign = async (ref: string, who: string) => {
    const ran = await guildhall(['cards', 'edit', ref, '--assignee', who, '--json']);
    return ran.code === 0 ? JSON.parse(ran.stdout).assignee?.user_id : ran.stderr.split('\n');
  };

  it('--assignee accepts me, an address, a name or a number, and lists the people if the name is unknown or ambiguous', async () => {
    const { brand, admin } = room.space;
    const [one, two] = [await world.member(brand), await world.member(brand)];
    const { ref } = await room.card();
    expect(await assign(ref, 'me')).toBe(admin.user_id);
    expect(await assign(ref, one.email.toUpperCase())).toBe(one.user_id);
    expect(await assign(ref, String(admin.user_id))).toBe(admin.user_id);
    expect(await assign(ref, 'none')).toBeUndefined();
    const [unknown, hint] = (await assign(ref, 'Nobody Such')) as string[];
    expect(unknown).toBe('guildhall: Member not found: Nobody Such');
    expect(hint).toContain(one.email);
    const rename = (user: { user_id: number }) =>
      world.db
        .updateTable('users' as never)
        .set({ full_name: 'Ada Lovelace' } as never)
        .where('user_id' as never, '=', user.user_id as never)
        .execute();
    await rename(one);
    expect(await assign(ref, 'ada lovelace')).toBe(one.user_id);
    await rename(two);
    const [doubtful, which] = (await assign(ref, 'Ada Lovelace')) as string[];
    expect(doubtful).toBe('guildhall: More than one member is named Ada Lovelace');
    expect(which).toContain(one.email);
    expect(which).toContain(two.email);
  });

  it('--due is stored as the end of the day', async () => {
    const { id, ref } = await room.card();
    const ran = await guildhall(['cards', 'edit', ref, '--due', '2030-05-01']);
    expect(ran.code, ran.stderr).toBe(0);
    const { due_at } = (await room.readCard(id)) as unknown as { due_at: string };
    expect(new Date(due_at)).toEqual(new Date(2030, 4, 1, 23, 59));
    expect((await guildhall(['cards', 'edit', ref, '--due', 'whenever'])).code).toBe(2);
  });

  it('--desk accepts a name for a person who is signed in, and an id without a lookup', async () => {
    const desk = await room.readyDesk({ name: 'shop-1' });
    const login = await cli.guildhall(
      ['login', '--url', cli.url, '--email', room.space.admin.email, '--password', '-'],
      { env: { GUILDHALL_TOKEN: '' }, stdin: PASSWORD },
    );
    expect(login.code, login.stderr).toBe(0);
    const { ref } = await room.card();
    const started = await guildhall(['builds', 'start', ref, '--desk', 'Shop-1', '--json']);
    expect(started.code, started.stderr).toBe(0);
    expect(JSON.parse(started.stdout)).toMatchObject({ wanted_workstation_id: desk.id });
    const unknown = await guildhall(['builds', 'list', '--desk', 'shop-2']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Desk not found: shop-2')]);
    expect(unknown.stderr).toContain('shop-1');
    expect((await guildhall(['builds', 'list', '--desk', desk.id])).code).toBe(0);
    await guildhall(['builds', 'cancel', ref]);
  });

  it('lists report on stderr that they are incomplete', async () => {
    for (let n = 0; n < 3; n++) {
      const { id } = await room.card();
      const { build_id } = await room.build(id);
      await room.call('POST', `/api/v1/factory/builds/${build_id}/cancel`);
    }
    const { body } = await room.call<{ total: number }>('GET', '/api/v1/factory/builds');
    const part = await guildhall(['builds', 'list', '--limit', '2']);
    expect(part.stdout.trim().split('\n')).toHaveLength(2);
    expect(part.stderr).toBe(`2 of ${body.total} shown; --all or --limit\n`);
    const all = await guildhall(['builds', 'list', '--all']);
    expect([all.stdout.trim().split('\n').length, all.stderr]).toEqual([body.total, '']);
    const cards = await guildhall(['cards', 'list', '--board', room.boardId, '--limit', '1']);
    expect(cards.stderr).toBe('1 shown, and there are more; --limit\n');
    expect((await guildhall(['cards', 'list', '--board', room.boardId])).stderr).toBe('');
  });

  it('guildhall builds shows silent and held builds, and an unreported cost as unknown', async () => {
    const desk = await room.readyDesk();
    const shown = async (ref: string) => (await guildhall(['builds', 'show', ref])).stdout;
    const first = await room.card();
    await room.build(first.id, { workstation_id: desk.id });
    const { buildId, claim } = await room.take(desk);
    expect(await shown(first.ref)).not.toMatch(/silent|cost/);
    await world.advance(90);
    expect(await shown(first.ref)).toMatch(/^silent\s+since /m);
    expect((await guildhall(['builds', 'list', '--card', first.ref])).stdout).toContain('\tsilent\t');
    const held_until = new Date(world.clock.now().getTime() + 3600_000).toISOString();
    const usage = { tokens_in: 10, tokens_out: 20 };
    await room.finish(desk, buildId, claim, { outcome: 'failed', held_until, usage });
    expect(await room.get(buildId)).toMatchObject({ usage: { ...usage, cost_usd: null } });
    expect(await shown(first.ref)).toMatch(/^cost\s+unknown$/m);

    const second = await room.card();
    await room.build(second.id, { workstation_id: desk.id });
    await room.work(desk);
    const waiting = await shown(second.ref);
    expect(waiting).toMatch(/^waiting for\s+hold$/m);
    expect(waiting).toMatch(new RegExp(`^held until\\s+${held_until}$`, 'm'));
  });
});
