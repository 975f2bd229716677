import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { EmbeddedConnection } from '../../src/platform/database/embedded/embedded.js';
import { isDeep, isUsual } from '../../tests/support/two-runs.js';

export interface Verdict {
  /** `fell`: a test failed; `hung`: the tests timed out; `lived`: all tests passed. */
  outcome: 'fell' | 'hung' | 'lived';
  by?: string | undefined;
}

interface Report {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** Copies the checkout with its uncommitted changes, so that mutants never appear in the real sources. */
export function makeScratchCopy(postgres: EmbeddedConnection) {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-mutate-'));
  const report = join(folder, 'dist', 'report.json');
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' });
  for (const path of listed.split('\0').filter((each) => each && existsSync(each))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path), { preserveTimestamps: true });
  }
  // Copies existing builds, to avoid building again.
  for (const path of ['dist', 'client/dist', 'cli/dist'].filter((each) => existsSync(each))) {
    const filter = (each: string) => each !== join('dist', 'check');
    cpSync(path, join(folder, path), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter,
    });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

  return {
    write: (path: string, text: string) => writeFileSync(join(folder, path), text),

    /** The deep tests take longer, so they run only against mutants that survive the usual ones. */
    async judge(tests: string[], limits: { limitMs: number; signal: AbortSignal }): Promise<Verdict> {
      const verdict = await judgeIn('test', tests.filter(isUsual), limits);
      return verdict.outcome === 'lived' ? judgeIn('deep', tests.filter(isDeep), limits) : verdict;
    },

    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };

  async function judgeIn(
    mode: 'test' | 'deep',
    tests: string[],
    { limitMs, signal }: { limitMs: number; signal: AbortSignal },
  ): Promise<Verdict> {
    if (tests.length === 0 || signal.aborted) return { outcome: 'lived' };
    rmSync(report, { force: true });
    return new Promise((settle) => {
      const run = spawn(
        process.execPath,
        [
          join(folder, 'node_modules/vitest/vitest.mjs'),
          ...['run', '--mode', mode, '--bail=1', '--reporter=json', `--outputFile=${report}`],
          ...tests,
        ],
        {
          cwd: folder,
          env: { ...process.env, TEST_POSTGRES: JSON.stringify(postgres) },
          stdio: 'ignore',
          detached: true,
        },
      );
      let hung = false;
      // Kills the process group, including programs that a test started.
      const end = () => {
        try {
          process.kill(-run.pid!, 'SIGKILL');
        } catch {
          // The process group has already exited.
        }
      };
      const limit = setTimeout(() => {
        hung = true;
        end();
      }, limitMs);
      signal.addEventListener('abort', end, { once: true });
      run.once('exit', (code) => {
        clearTimeout(limit);
        signal.removeEventListener('abort', end);
        end();
        if (hung) settle({ outcome: 'hung' });
        else settle(code === 0 ? { outcome: 'lived' } : { outcome: 'fell', by: findFirstFailure(report) });
      });
    });
  }
}

function findFirstFailure(path: string): string | undefined {
  if (!existsSync(path)) return 'it does not start';
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const failed = testResults.filter(({ status }) => status === 'failed');
  const test = failed.flatMap((each) => each.assertionResults).find(({ status }) => status === 'failed');
  return test?.fullName ?? failed[0]?.name;
}
