import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DataLock, lockDataDir } from './data-lock.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'guildhall-lock-test-'));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

const refusal = () => `Another Guildhall is already running on ${dataDir}`;

describe('lockDataDir', () => {
  it('rejects a second holder and names the folder', async () => {
    const lock = await lockDataDir(dataDir);
    await expect(lockDataDir(dataDir)).rejects.toThrow(refusal());
    await lock.release();
  });

  it('grants the lock to exactly one of many concurrent callers', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDir(dataDir)));
    const holders = results.filter((result) => result.status === 'fulfilled');
    expect(holders).toHaveLength(1);
    for (const { reason } of results.filter((result) => result.status === 'rejected')) {
      expect(reason).toEqual(new Error(refusal()));
    }
    await (holders[0] as PromiseFulfilledResult<DataLock>).value.release();
  });

  it('waits for candidates that are leaving or slow to answer, instead of giving up', async () => {
    await mkdir(join(dataDir, '.lock'));
    // This name sorts after all others, so the lock under test would give way to it.
    const path = join(dataDir, '.lock', 'f'.repeat(12));
    let asked = 0;
    const other = createServer((socket) => {
      asked += 1;
      if (asked === 1) socket.end();
      if (asked === 3) {
        socket.end('candidate');
        other.close();
      }
    });
    await once(other.listen(path), 'listening');
    const lock = await lockDataDir(dataDir);
    expect(asked).toBe(3);
    await lock.release();
  });

  it('is free after its holder was killed, and stays taken while the holder is stopped', async () => {
    const program = `
      const { lockDataDir } = await import(${JSON.stringify(new URL('./data-lock.ts', import.meta.url).href)});
      await lockDataDir(${JSON.stringify(dataDir)});
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    holder.kill('SIGSTOP');
    await expect(lockDataDir(dataDir)).rejects.toThrow(refusal());
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await (await lockDataDir(dataDir)).release();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('works on a path that is too long for a socket', async () => {
    const deep = join(dataDir, 'x'.repeat(60), 'y'.repeat(60));
    const lock = await lockDataDir(deep);
    await expect(lockDataDir(deep)).rejects.toThrow('Another Guildhall is already running on');
    await lock.release();
  });
});
