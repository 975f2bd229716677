import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { fromBuild } from './tests/support/from-build.js';
import { isDeep, isUsual } from './tests/support/two-runs.js';

/** Test files that need their own process, because they change shared state (a module, a global, memory). */
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
/** Test files that replace modules of the service, so they run from the sources instead of the build. */
const replacing = ['src/features/identity/sessions/equal-time.test.ts'];

/** Slow files that start programs run first, so that none of them runs alone at the end. */
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
// Longer than any test takes even on a busy machine, so that only hanging tests time out.
const limits = {
  pool: 'forks',
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 120_000 } },
  // In a file with only usual or only deep tests, the other run has nothing to do.
  passWithNoTests: true,
} as const;

/** Loading the service takes longer than most files run, so each worker loads it once for all its files. */
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
    // More workers than cores, because tests mostly wait for programs, browsers and git.
    maxWorkers: mode === 'deep' ? 9 : 6,
    // Projects run in the order of their names.
    projects: partsOf(everything.filter(mode === 'deep' ? isDeep : isUsual)),
    provide: { deep: mode === 'deep' },
  },
}));
