import { spawn } from 'node:child_process';
import launcher from '../installer/launcher.sh';
import { type DeskFiles, readIfThere, writeWhole } from './desk-files.js';

/**
 * An update brings a bundle and nothing else, so the release that runs sees to it that the launcher beside it is its own:
 * an older one looks for things in other places. The first two lines name the root and are the machine's.
 */
export function renewLauncher(files: DeskFiles): void {
  const present = readIfThere(files.launcher);
  if (present === undefined) return;
  const [shebang, root] = present.split('\n');
  const wanted = `${shebang}\n${root}\n${launcher}`;
  if (present !== wanted) writeWhole(files.launcher, wanted, 0o755);
  const complain = () => console.error('The list of what belongs to this desk could not be written');
  spawn('bash', [files.launcher, 'settle'], { stdio: 'ignore' })
    .on('error', complain)
    .on('exit', (code) => code === 0 || complain());
}
