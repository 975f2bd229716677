import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Nobody waits for the disk or tidies up: it is thrown away soon. */
const SETTINGS = [
  'user.name=Test',
  'user.email=test@example.test',
  'commit.gpgsign=false',
  'core.fsync=none',
  'gc.auto=0',
  'maintenance.auto=false',
];

/** A real repository that a test writes, moves and commits in. */
export class ScratchRepository {
  readonly folder: string;
  #commits = 0;

  constructor(folder = mkdtempSync(join(tmpdir(), 'guildhall-repository-'))) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main', '--template=');
  }

  git(...args: string[]): string {
    return execFileSync('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: '/nonexistent',
      },
    }).trim();
  }

  write(files: Record<string, string | Buffer>): this {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content);
    }
    return this;
  }

  remove(...paths: string[]): this {
    for (const path of paths) rmSync(join(this.folder, path), { recursive: true, force: true });
    return this;
  }

  move(from: string, to: string): this {
    mkdirSync(dirname(join(this.folder, to)), { recursive: true });
    renameSync(join(this.folder, from), join(this.folder, to));
    return this;
  }

  /** Commits everything and answers the commit's full id. */
  commit(message = `change ${++this.#commits}`): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Writes, commits, answers the id. */
  save(files: Record<string, string | Buffer>): string {
    return this.write(files).commit();
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
