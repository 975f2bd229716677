import { spawn } from 'node:child_process';
import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { type Committer, readCommitter, type StartedBuild } from '../work/build-protocol.js';

/** No user or system settings, no prompts and no hooks. */
export const GIT_ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'file',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LFS_SKIP_SMUDGE: '1',
  LC_ALL: 'C.UTF-8',
} as const;

const LIMIT_MS = 20 * 60_000;

/**
 * Only for the desk's own repositories. In a repository that a coder could change, git could run the coder's
 * code, so only the build's user may run it there.
 */
export function runGit(folder: string, ...args: string[]): Promise<string> {
  const child = spawn('git', args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...GIT_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  let output = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve(output.trim())
        : reject(new Error(`git ${args[0]} failed: ${pickComplaint(complaint)}`)),
    );
  });
}

/** Picks the line with the error; git often prints advice below it. */
export function pickComplaint(text: string): string {
  const lines = text.trim().split('\n');
  return lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? '';
}

/** The committer for a coder's commits: as the desk's owner configured it, otherwise as the service sets it. */
export function findCommitter(
  files: Pick<DeskFiles, 'commitIdentity'>,
  { url }: Pick<DeskConfig, 'url'>,
  { committer }: Pick<StartedBuild, 'committer'>,
): Committer {
  const text = readIfThere(files.commitIdentity)?.trim();
  const [, name, email] = /^(.*?)\s*<(.*)>$/.exec(text ?? '') ?? [];
  const own = readCommitter({ name, email });
  if (text && !own) console.error(`${files.commitIdentity} is not of the form Name <address>`);
  return own ?? committer ?? { name: 'guildhall', email: `noreply@${new URL(url).hostname}` };
}
