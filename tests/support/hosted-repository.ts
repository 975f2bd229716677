import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScratchRepository } from './scratch-repository.js';

const run = promisify(execFile);

/** A bare repository for the simulated host, and a checkout from which a test pushes to it. */
export class HostedRepository {
  readonly #folder = mkdtempSync(join(tmpdir(), 'guildhall-hosted-'));
  readonly path = join(this.#folder, 'hosted.git');
  readonly checkout = new ScratchRepository(join(this.#folder, 'checkout'));

  constructor(files: Record<string, string> = { 'README.md': 'Hello\n' }) {
    this.checkout.git('init', '--quiet', '--bare', '--initial-branch=main', this.path);
    this.checkout.write(files).commit('Begin');
    this.push('main');
  }

  /** Creates a branch with these files changed, and returns its commit. */
  branch(name: string, files: Record<string, string>, from = 'main'): string {
    this.checkout.git('checkout', '--quiet', '-B', name, from);
    const sha = this.checkout.write(files).commit(`Work on ${name}`);
    this.push(name);
    return sha;
  }

  push(branch: string): void {
    this.checkout.git('push', '--quiet', '--force', this.path, `${branch}:${branch}`);
  }

  /** Asynchronous, because the host may run in this process and must not be blocked. */
  async reach(...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, {
      cwd: this.checkout.folder,
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: '/nonexistent',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
    });
    return stdout.trim();
  }

  read(branch: string, path: string): string {
    return this.checkout.git(`--git-dir=${this.path}`, 'show', `${branch}:${path}`);
  }

  headOf(branch: string): string {
    return this.checkout.git(`--git-dir=${this.path}`, 'rev-parse', branch);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
