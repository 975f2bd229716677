import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { fromBuild } from './tests/support/from-build.js';
import { isDeep, isUsual } from './tests/support/two-runs.js';

/** Files with a process to themselves: they change something all modules of a process share (a module, a global, its memory). */
const alone = [
  'src/features/identity/sessions/equal-time.test.ts',
  'src/features/memory/memory.deadline.test.ts',
  'src/platform/http/request/body-encoding.test.ts',
  'sidecar/src/runtime.test.ts',
  'tests/background-pool.deep.test.ts',
  'tests/client/retry.test.ts',
  'tests/failover.deep.test.ts',
  'tests/start.test.ts',
  'tests/watchdog.deep.test.ts',
  'tests/webhook-crash.deep.test.ts',
];
/** Of those, the ones that replace modules of the program: they have its sources, through the transformer. */
const replacing = ['src/features/identity/sessions/equal-time.test.ts'];

/** Those that start programs and last long begin first, so that none is left at the end. */
const isEnduring = (path: string) =>
  /^tests\/(cli|desk-builds|desk-end-to-end|pages)\//.test(path) ||
  /\/(authorisation-model|backup\.deep|embedded\.deep|gate-faults|gate-good-builds|hostile-input|nasty-texts|opening\.deep|project-commits)\b/.test(
    path,
  );

const everything = ['src', 'tests', 'sidecar']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => path.endsWith('.test.ts'));
// Far longer than anything takes: what hangs is found out, and a busy machine is no fault.
const limits = {
  pool: 'forks',
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 120_000 } },
  // Of what a `describe` holds, one of the two runs may try nothing.
  passWithNoTests: true,
} as const;

/** To load the program takes longer than most files last: a worker loads it once, for all files of a part. */
const part = (name: string, include: string[], isolate = false): UserWorkspaceConfig => ({
  plugins: [fromBuild()],
  test: { ...limits, name, include, isolate, server: { deps: { external: [/\/dist\/modules\//] } } },
});

function partsOf(files: string[]): UserWorkspaceConfig[] {
  const together = files.filter((path) => !alone.includes(path));
  return [
    {
      test: {
        ...limits,
        name: 'alone, from the sources',
        include: replacing.filter((path) => files.includes(path)),
      },
    },
    part(
      'alone',
      alone.filter((path) => files.includes(path) && !replacing.includes(path)),
      true,
    ),
    part('enduring', together.filter(isEnduring)),
    part(
      'rest',
      together.filter((path) => !isEnduring(path)),
    ),
  ];
}

export default defineConfig(({ mode }) => ({
  plugins: [fromBuild()],
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    // Much of it waits for programs, browsers and git, the exhaustive run most of all: so many at once fill two cores.
    maxWorkers: mode === 'deep' ? 9 : 6,
    // In the order of their names.
    projects: partsOf(everything.filter(mode === 'deep' ? isDeep : isUsual)),
    provide: { deep: mode === 'deep' },
  },
}));
