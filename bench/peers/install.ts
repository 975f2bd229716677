import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The compared packages have their own folder, because they are never part of Guildhall. */
const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'guildhall-bench');
const require = createRequire(join(folder, 'package.json'));

export interface Peer {
  name: string;
  version: string;
  /** The path of the package's main file, or of one of its exports. */
  resolve: (part?: string) => string;
  /** The path of the script behind one of the package's commands. */
  command: (name: string) => string;
}

/** Installs the package if it is missing. Throws with the reason if that fails. */
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
