import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuildDesk, canIsolate, createBuildDesk, findProcesses } from '../desk-builds/build-desk.js';
import { type FakeBuild, type FakeService, startFakeService } from '../desk-builds/fake-service.js';
import { until } from '../desk-end-to-end/real-desk.js';
import { type McpStub, startMcpStub } from '../support/mcp-stub.js';
import { type ModelStep, type ModelStub, startModelStub } from '../support/model-stub.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import {
  type Ability,
  commandOf,
  placePrograms,
  REAL_CODERS,
  type RealCoder,
  versionOf,
} from './real-programs.js';

/** Runs each coder's real program in the cell of a build against a stub of its model. */

const COMMIT = 'echo mended > roof.txt && git commit --quiet --all --message "Mend the roof"';
const WAIT = 'touch began && sleep 4000';

if (!canIsolate)
  console.warn('SKIPPED: real coders are tried in a cell, which needs root, unshare and setpriv');

let programs: ReturnType<typeof placePrograms>;
let service: FakeService;
let repository: ScratchRepository;
let desk: BuildDesk;
let stub: ModelStub;
let mcp: McpStub;

beforeAll(() => {
  if (canIsolate) programs = placePrograms();
});
afterAll(() => programs?.remove());
beforeEach(async () => {
  service = await startFakeService();
  mcp = await startMcpStub('done');
  repository = new ScratchRepository();
  repository.save({ 'roof.txt': 'a hole\n' });
});
afterEach(async () => {
  await desk?.remove();
  await service.stop();
  await stub.close();
  await mcp.close();
  repository.dispose();
});

/** Starts a build whose model calls these tools and then says that it is done. */
async function start(coder: RealCoder, steps: ModelStep[], fields: object = {}): Promise<FakeBuild> {
  stub = await startModelStub(steps);
  const words = commandOf(coder, programs.folder);
  const script = `#!/bin/sh\n${coder.prepare?.(stub.url) ?? ''}\nexec ${words.join(' ')} "$@"\n`;
  desk = await createBuildDesk(service, { runtime: 'custom', stubs: { [coder.name]: script } });
  chmodSync(desk.path('stubs'), 0o755);
  const environment = coder.environment(stub.url, programs.folder);
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  writeFileSync(desk.path('etc/guildhall/coder.env'), lines.join('\n'));
  if (coder.acp) {
    mkdirSync(desk.path('etc/guildhall/coders.d'));
    const file = { command: [coder.name, ...coder.acp], protocol: 'acp' };
    writeFileSync(desk.path(`etc/guildhall/coders.d/${coder.name}.json`), JSON.stringify(file));
  }
  desk.start();
  const { limits = {}, ...more } = fields as { limits?: object };
  return service.queue(repository, {
    coder: coder.name,
    settings: { version: 'v', model: coder.settings?.model ?? null, effort: null, limits },
    mcp: { url: mcp.url, token: 'mcp-token-of-this-build' },
    wall_minutes: 3,
    ...more,
  });
}

const ended = (build: FakeBuild) => until(() => build.finish ?? undefined, 480);
const logOf = (build: FakeBuild) => build.parts.join('');

describe.each(REAL_CODERS.map((coder) => ({ coder, name: coder.name, version: versionOf(coder) })))(
  '$name $version',
  ({ coder, version }) => {
    if (!version) console.warn(`SKIPPED: ${coder.package} is not installed (.ci/run installs it)`);
    const works = version !== undefined && canIsolate;
    const unless = (ability: Ability) => {
      const reason = coder.cannot?.[ability];
      if (reason && works) console.warn(`SKIPPED: ${coder.name} ${version}, ${ability}: ${reason}`);
      return it.skipIf(!works || reason !== undefined);
    };

    it.skipIf(!works)('commits a change', async () => {
      const build = await start(coder, [{ shell: COMMIT }]);
      await ended(build);
      expect(build.finish, logOf(build)).toMatchObject({ outcome: 'succeeded', result: 'Done.' });
      expect(repository.git('show', `${build.branch}:roof.txt`)).toBe('mended');
      expect(logOf(build)).toContain('Done.\n');
    });

    unless('usage')('reports what its calls to the model used', async () => {
      const build = await start(coder, [{ shell: COMMIT }]);
      await ended(build);
      // Two model calls, each with one input and one output token.
      const tokens = coder.tells === 'cost' ? null : 2;
      const cost = coder.tells === 'tokens' ? undefined : expect.any(Number);
      expect(build.finish?.['usage'], logOf(build)).toEqual({
        tokens_in: tokens,
        tokens_out: tokens,
        cost_usd: cost,
      });
    });

    unless('tool')('uses a tool of Guildhall, and needs no change after done', async () => {
      const build = await start(coder, [{ tool: 'done' }]);
      await ended(build);
      expect(mcp.calls, `${logOf(build)}\n${[...stub.offered]}`).toEqual(['mcp-token-of-this-build']);
      expect(build.finish, logOf(build)).toMatchObject({ outcome: 'succeeded' });
    });

    it.skipIf(!works)('stops with all its child processes when canceled', async () => {
      const build = await start(coder, [{ shell: WAIT }]);
      const began = `var/lib/guildhall-sidecar/checkouts/${build.id}/checkout/began`;
      await until(() => desk.has(began) || build.finish || undefined, 240);
      service.cancel(build);
      await ended(build);
      expect(build.finish, logOf(build)).toMatchObject({ outcome: 'canceled' });
      expect(findProcesses('sleep 4000')).toEqual([]);
    });

    it.skipIf(!works)('is stopped at the time limit', async () => {
      const build = await start(coder, [{ shell: WAIT }], { wall_minutes: 0.1 });
      await ended(build);
      expect(build.finish, logOf(build)).toMatchObject({ outcome: 'timed_out' });
    });

    unless('limit')('keeps the limit of the profile', async () => {
      const steps = Array.from({ length: 8 }, (_, nth) => ({ shell: `echo ${nth} >> roof.txt` }));
      const build = await start(coder, steps, { limits: { [coder.guard ?? 'max_turns']: 2 } });
      await ended(build);
      const lines = repository.git('show', `${build.branch}:roof.txt`).split('\n').length - 1;
      expect(lines, logOf(build)).toBeGreaterThan(0);
      expect(lines, logOf(build)).toBeLessThan(4);
    });
  },
);
