import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, makeSshKey } from './ssh.js';

function hasKeygen(): boolean {
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'ignore' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
  }
  return true;
}

describe.skipIf(!hasKeygen())('Deploy key (needs ssh-keygen)', () => {
  it('is valid for OpenSSH: both halves match, with the fingerprint that we show', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildhall-ssh-key-'));
    try {
      for (const comment of ['', 'a', 'guildhall-workspace-1', 'ü'.repeat(7)]) {
        const { publicKey, privateKey } = makeSshKey(comment);
        const file = join(folder, 'key');
        writeFileSync(file, privateKey, { mode: 0o600 });
        writeFileSync(`${file}.pub`, `${publicKey}\n`);
        const derived = execFileSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' }).trim();
        expect(derived.split(' ').slice(0, 2)).toEqual(publicKey.split(' ').slice(0, 2));
        const shown = execFileSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' });
        expect(shown.split(' ')[1]).toBe(fingerprintOf(publicKey));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('makeSshKey returns a different key on each call', () => {
  expect(makeSshKey('x').publicKey).not.toBe(makeSshKey('x').publicKey);
});
