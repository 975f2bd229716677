import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./support/hanging-program.ts', import.meta.url));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** Starts the program and sends it the signals once it runs. */
function run(
  seconds: number,
  how: 'spin' | 'backtrack' | 'turn',
  signals: NodeJS.Signals[] = [],
  [program, ...before]: [string, ...string[]] = [process.execPath],
): Promise<Ended> {
  const child = spawn(program, [...before, '--import', 'tsx', PROGRAM, String(seconds), how]);
  running.push(child);
  let output = '';
  child.stderr.on('data', (part) => {
    output += part;
  });
  child.stdout.on('data', (part) => {
    output += part;
    if (String(part).includes('begun')) for (const signal of signals) child.kill(signal);
  });
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, output }));
  });
}

describe('a process whose event loop hangs', () => {
  it.each(['spin', 'backtrack'] as const)(
    'ends on SIGTERM (%s)',
    async (how) => {
      const { signal, output } = await run(600, how, ['SIGTERM']);
      expect(signal).toBe('SIGKILL');
      expect(output).toContain('"msg":"The event loop hangs; the process is ended"');
      expect(output).not.toMatch(/stopped in order|Warning/);
    },
    300_000,
  );

  it('ends after WATCHDOG_SECONDS without a signal, and logs its stack first', async () => {
    const { signal, output } = await run(6, 'spin');
    expect(signal).toBe('SIGKILL');
    expect(output).toMatch(/"stack":\["spinForEver hanging-program\.ts:\d+"/);
    expect(output.indexOf('"stack"')).toBeLessThan(output.indexOf('the process is ended'));
  });
});

describe('A process whose event loop runs', () => {
  it('stops cleanly on SIGTERM', async () => {
    const { code, output } = await run(6, 'turn', ['SIGTERM']);
    expect([code, output]).toEqual([0, 'begun\nstopped in order\n']);
  });
});

const canBeFirst = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
if (!canBeFirst) console.warn('SKIPPED: no process can be made the first of its own here');

describe('The first process of a container', () => {
  it.skipIf(!canBeFirst)(
    'ends when its event loop hangs, although it cannot be killed from inside',
    async () => {
      const first = ['--pid', '--fork', '--mount-proc', '--kill-child', process.execPath];
      const { code, output } = await run(4, 'spin', [], ['unshare', ...first]);
      expect(output).toContain('the process is ended');
      expect(code).toBe(1);
    },
    300_000,
  );
});
