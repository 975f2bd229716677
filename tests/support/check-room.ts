import { checkouts } from './build-checkouts.js';
import type { FakeDesk, Furnished } from './build-world.js';

export interface ClaimedChecks {
  buildId: string;
  claim: string;
}

/** The requests of a desk about the checks of a build, as the protocol defines them. */
export function checkRoom(room: Furnished) {
  const git = checkouts(room);
  const at = (buildId: string, path: string) => `builds/${buildId}/checks/${path}`;

  /** Submits a successful build, which is then about to be checked. */
  const checking = async (desk: FakeDesk, card: { id: string }, file = `${Math.random()}`) => {
    await room.build(card.id);
    return git.succeed(desk, { 'src/work.ts': `export const work = '${file}';\n` });
  };

  const order = async (desk: FakeDesk, fields: Record<string, unknown> = {}): Promise<ClaimedChecks> => {
    const orders = await room.work(desk, fields);
    const found = orders.find(({ kind }) => kind === 'check');
    if (!found) throw new Error(`Nothing to check: ${JSON.stringify(orders)}`);
    return { buildId: found.build_id, claim: found.claim };
  };
  const start = (desk: FakeDesk, { buildId, claim }: { buildId: string; claim?: string }) =>
    room.say(desk, 'POST', at(buildId, 'start'), { claim });
  const log = (desk: FakeDesk, { buildId, claim }: ClaimedChecks, name: string, seq: number, text: string) =>
    room.say(desk, 'PUT', at(buildId, `${encodeURIComponent(name)}/log?seq=${seq}`), {
      claim,
      payload: text,
      headers: { 'content-type': 'text/plain' },
    });
  const report = (desk: FakeDesk, { buildId, claim }: ClaimedChecks, name: string, payload: object) =>
    room.say(desk, 'POST', at(buildId, encodeURIComponent(name)), { claim, payload });
  const finish = (desk: FakeDesk, { buildId, claim }: ClaimedChecks, payload: object) =>
    room.say(desk, 'POST', at(buildId, 'finish'), { claim, payload });

  const setChecks = (body: object) => room.call('PUT', `/api/v1/projects/${room.projectId}/checks`, body);
  const setPolicy = (body: object) => room.call('PUT', '/api/v1/factory/builds/policy', body);

  /** Runs the waiting checks. Each ends as `ends` says, and the others pass. */
  const run = async (desk: FakeDesk, ends: Record<string, string> = {}) => {
    const claimed = await order(desk);
    const started = await start(desk, claimed);
    const checks = started.body.checks.map(({ name }: { name: string }) => {
      const status = ends[name] ?? 'passed';
      return {
        name,
        status,
        exit_code: status === 'passed' ? 0 : status === 'failed' ? 1 : null,
        seconds: 2,
      };
    });
    for (const { name, status } of checks) {
      await report(desk, claimed, name, { status: 'running' });
      await log(desk, claimed, name, 1, `the ${name} check ${status}\n`);
    }
    return { ...claimed, finished: await finish(desk, claimed, { checks }) };
  };

  return { git, checking, order, start, log, report, finish, setChecks, setPolicy, run };
}
