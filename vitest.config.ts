import { defineConfig } from 'vitest/config';

/** Files with a process to themselves: they change something all modules of a process share (a module, a global, its memory). */
const alone = [
  'src/features/identity/sessions/equal-time.test.ts',
  'src/features/memory/memory.deadline.test.ts',
  'src/http/body-encoding.test.ts',
  'sidecar/src/runtime.test.ts',
  'tests/{background-pool,failover,start,watchdog,webhook-crash}.test.ts',
  'tests/client/retry.test.ts',
];

/** To load the program takes longer than most files last: a worker loads it once for all files of a part, then another begins afresh. */
const parts = {
  // Those that start programs and last long begin first, so that none is left at the end.
  enduring: ['tests/{cli,desk-builds,desk-end-to-end,pages}/**/*.test.ts'],
  'features a-i': ['src/features/[a-i]*/**/*.test.ts'],
  'features j-m': ['src/features/[j-m]*/**/*.test.ts'],
  'features n-z': ['src/features/[n-z]*/**/*.test.ts'],
};
const everything = ['src/**/*.test.ts', 'tests/**/*.test.ts', 'sidecar/**/*.test.ts'];

const limits = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const;
const sharing = (name: string, include: string[], exclude: string[]) => ({
  test: { ...limits, name, include, exclude, isolate: false },
});

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    maxWorkers: 4,
    // In the order of their names.
    projects: [
      { test: { ...limits, name: 'alone', include: alone } },
      ...Object.entries(parts).map(([name, include]) => sharing(name, include, alone)),
      sharing('rest', everything, [...alone, ...Object.values(parts).flat()]),
    ],
  },
});
