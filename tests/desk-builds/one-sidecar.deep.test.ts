import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { canIsolate } from './build-desk.js';
import { it } from './desk-test.js';

/** A desk runs one sidecar, which reports only what is on disk and asks for work as soon as it can build. */

const isolation = canIsolate ? {} : ({ isolation: 'none' } as const);
const asksOf = (service: { calls: { step: string; body: Record<string, unknown> }[] }) =>
  service.calls.filter(({ step }) => step === 'work').map(({ body }) => body);

/** Records the order in which files are synced to disk and renamed. */
const WITNESS = `
const fs = require('node:fs');
const say = (line) => fs.appendFileSync(process.env.SSL_CERT_DIR, line + '\\n');
const { fsyncSync, renameSync } = fs;
const { rename } = fs.promises;
fs.fsyncSync = (file) => { say('sync ' + fs.readlinkSync('/proc/self/fd/' + file)); return fsyncSync(file); };
fs.renameSync = (from, to) => { say('name ' + to); return renameSync(from, to); };
fs.promises.rename = (from, to) => { say('name ' + to); return rename(from, to); };
require('node:module').syncBuiltinESMExports();
`;

describe.concurrent('Sidecar of a desk', () => {
  it('runs once: a second one exits while the first is running, and a new one takes over afterwards', async ({
    service,
    makeDesk,
  }) => {
    const desk = await makeDesk(isolation);
    desk.setCoder('true');
    desk.start();
    await until(() => asksOf(service).length > 0);
    expect(await desk.command('serve')).toBe(1);
    expect((await desk.health())['env_id']).toBe('e');
    await desk.kill();
    const before = asksOf(service).length;
    desk.start();
    await until(() => asksOf(service).length > before);
  });

  it('exits when its supervisor is killed', async ({ service, makeDesk }) => {
    const desk = await makeDesk(isolation);
    desk.setCoder('true');
    const supervisor = spawn(
      'bash',
      ['-c', 'GUILDHALL_SUPERVISED=1 "$0" "$@" & echo $!; wait', process.execPath, desk.program, 'serve'],
      { env: { PATH: process.env['PATH'], GUILDHALL_ROOT: desk.root }, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let said = '';
    supervisor.stdout.on('data', (chunk) => {
      said += chunk;
    });
    await until(() => asksOf(service).length > 0);
    const sidecar = Number(said.split('\n')[0]);
    expect(isAlive(sidecar)).toBe(true);
    supervisor.kill('SIGKILL');
    await until(() => !isAlive(sidecar));
  });

  it('syncs log, commits and result to disk before renaming them', async ({
    service,
    repository,
    makeDesk,
  }) => {
    const desk = await makeDesk(isolation);
    desk.setCoder('echo said; echo x > x.txt');
    writeFileSync(desk.path('witness.cjs'), WITNESS);
    desk.start({ NODE_OPTIONS: `--require ${desk.path('witness.cjs')}`, SSL_CERT_DIR: desk.path('seen') });
    const one = service.queue(repository);
    await until(() => desk.isDone(one.id));
    expect(one.finish).toEqual({ outcome: 'succeeded' });
    const seen = readFileSync(desk.path('seen'), 'utf8').split('\n');
    for (const name of ['start.json', 'commits.bundle', 'finish.json', 'done.json']) {
      const named = seen.indexOf(`name ${desk.spool(one.id, name)}`);
      expect(named, name).toBeGreaterThan(0);
      expect(seen[named - 1], name).toMatch(/^sync .*\.new$/);
      expect(seen.slice(named, named + 20), name).toContain(`sync ${desk.spool(one.id).replace(/\/$/, '')}`);
    }
    const part = seen.indexOf(`sync ${desk.spool(one.id, 'log/000000001')}`);
    const finished = seen.indexOf(`name ${desk.spool(one.id, 'finish.json')}`);
    const acknowledged = seen.indexOf(`name ${desk.spool(one.id, 'log/acknowledged')}`);
    // A log part that the service already has need not be synced.
    expect(part === -1 ? acknowledged : part).toBeGreaterThan(0);
    expect(part).toBeLessThan(finished);
  });

  it('asks for work immediately when its coder becomes available, without waiting for the pending request', async ({
    service,
    makeDesk,
  }) => {
    const desk = await makeDesk({ ...isolation, runtime: 'claude_code' });
    desk.start({ PATH: `${desk.path('stubs')}:/usr/bin:/bin:/usr/sbin:/sbin` });
    await until(() => asksOf(service).length > 0);
    expect(asksOf(service).at(-1)).toMatchObject({
      coders: [],
      missing: [{ coder: 'claude', reason: 'it is not installed yet' }],
    });
    writeFileSync(desk.path('stubs/claude'), '#!/bin/sh\n');
    chmodSync(desk.path('stubs/claude'), 0o755);
    // Well before the pending request ends after 50 s.
    await until(() => JSON.stringify(asksOf(service).at(-1)).includes('no one is signed in'), 25);
    expect(asksOf(service).at(-1)).toMatchObject({
      coders: [],
      missing: [{ coder: 'claude', reason: 'no one is signed in on this desk' }],
    });
    mkdirSync(desk.path('home/.claude'));
    writeFileSync(
      desk.path('home/.claude/.credentials.json'),
      JSON.stringify({ claudeAiOauth: { refreshToken: 'r' } }),
    );
    await until(() => JSON.stringify(asksOf(service).at(-1)?.['coders']).includes('claude'), 25);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}
