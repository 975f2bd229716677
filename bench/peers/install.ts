import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Packages of others, in a folder of their own: they are measured and never a part of the program. */
const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'guildhall-bench');
const require = createRequire(join(folder, 'package.json'));

export interface Peer {
  name: string;
  version: string;
  /** Its main file, or the one of a part of it. */
  resolve: (part?: string) => string;
  /** The script behind a command of it. */
  command: (name: string) => string;
}

/** Installs it when it is not there yet; an error says why it could not be. */
export function installPeer(name: string): Peer {
  mkdirSync(folder, { recursive: true });
  const home = join(folder, 'node_modules', name);
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  if (!existsSync(join(home, 'package.json'))) {
    console.log(`installing ${name} into ${folder}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', name], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 15 * 60_000,
    });
  }
  const { version, bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    version: string;
    bin: string | Record<string, string>;
  };
  return {
    name,
    version,
    resolve: (part) => require.resolve(part ? `${name}/${part}` : name),
    command: (command) => join(home, typeof bin === 'string' ? bin : bin[command]!),
  };
}
