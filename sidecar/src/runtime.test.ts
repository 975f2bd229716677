import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { installMissingRuntime } from './runtime.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildhall-runtime-'));
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$*" > '${folder}/called'\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  vi.stubEnv('PATH', `${folder}:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('keeps everything npm writes below the prefix, where uninstall finds it', async () => {
  const prefix = join(folder, 'runtime');
  expect(await installMissingRuntime('codex', prefix)).toBe(true);
  const called = readFileSync(join(folder, 'called'), 'utf8');
  expect(called).toContain(`--prefix ${prefix} `);
  expect(called).toContain(`--cache ${prefix}/`);
});

it('has nothing to install for a custom runtime', async () => {
  expect(await installMissingRuntime('custom', join(folder, 'runtime'))).toBe(true);
  expect(() => readFileSync(join(folder, 'called'))).toThrow();
});
