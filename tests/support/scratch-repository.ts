import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './program-starter.js';

/** Turns off fsync and git maintenance, because the repository is deleted soon. */
const SETTINGS = [
  'user.name=Test',
  'user.email=test@example.test',
  'commit.gpgsign=false',
  'core.fsync=none',
  'gc.auto=0',
  'maintenance.auto=false',
];

/** The result of `git init`, created once per process and copied. */
let blank: string | undefined;

/** A real repository in which a test writes and moves files and commits. */
export class ScratchRepository {
  readonly folder: string;
  #commits = 0;

  constructor(folder = mkdtempSync(join(tmpdir(), 'guildhall-repository-'))) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    const own = join(folder, '.git');
    if (blank !== undefined && existsSync(blank) && !existsSync(own)) {
      cpSync(blank, own, { recursive: true });
      return;
    }
    this.git('init', '--quiet', '--initial-branch=main', '--template=');
    blank = join(mkdtempSync(join(tmpdir(), 'guildhall-blank-')), 'git');
    cpSync(own, blank, { recursive: true });
  }

  git(...args: string[]): string {
    return runProgram('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], {
      folder: this.folder,
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

  /** Commits everything and returns the full commit id. */
  commit(message = `change ${++this.#commits}`): string {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.#head();
  }

  /** Reads the new commit's id from git's files, which is faster than starting git. */
  #head(): string {
    const read = (name: string) => readFileSync(join(this.folder, '.git', name), 'utf8').trim();
    const head = read('HEAD');
    return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
  }

  save(files: Record<string, string | Buffer>): string {
    return this.write(files).commit();
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
