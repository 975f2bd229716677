import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { remove } from '../desk-files.js';
import { type Cell, startInCell } from '../runner/isolation.js';
import type { BuildFolder } from '../spool/build-folder.js';
import { COMMITS_LIMIT_BYTES, type StartedBuild } from '../work/build-protocol.js';
import { GIT_ENVIRONMENT, pickComplaint } from './git.js';

const LIMIT_MS = 10 * 60_000;

const SAFE = `git() { command git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c commit.gpgSign=false -c core.looseCompression=1 -c core.quotePath=false -c advice.detachedHead=false "$@"; }`;

/**
 * Commits what is uncommitted and answers the commit that the branch ends with. A repository that the coder made inside
 * the checkout would become a pointer to nowhere, so its files are taken and its history is not. Work that has left the
 * line of the base is put back on it as one commit.
 */
const COMMIT = `
set -e
${SAFE}
base=$1 branch=$2 message=$3 away=$4
rm -f .git/index.lock .git/HEAD.lock
count=0
find . -mindepth 2 -name .git -prune -print | while IFS= read -r nested; do
  place=\${nested%/.git}
  if git ls-files --stage -- "$place" | grep -q '^160000 '; then continue; fi
  count=$((count + 1))
  mv "$nested" "$away/nested-$$-$count"
done
git add --all
if [ -e .git/MERGE_HEAD ] || ! git diff --cached --quiet; then git commit --quiet --no-verify -m "$message" >&2; fi
head=$(git rev-parse --verify --quiet 'HEAD^{commit}')
if ! git merge-base --is-ancestor "$base" "$head"; then
  head=$(git commit-tree -p "$base" -m "$message" "$head^{tree}")
fi
git update-ref "refs/heads/$branch" "$head"
echo "$head"
`;

const FILL = `${SAFE}\ngit reset --hard --quiet`;
const BUNDLE = `${SAFE}\ngit bundle create --quiet - "refs/heads/$2" "^$1"`;

const environment = (folder: BuildFolder): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: folder.home,
  TMPDIR: folder.tmp,
  ...GIT_ENVIRONMENT,
  GIT_AUTHOR_NAME: 'Guildhall',
  GIT_AUTHOR_EMAIL: 'build@guildhall.invalid',
  GIT_COMMITTER_NAME: 'Guildhall',
  GIT_COMMITTER_EMAIL: 'build@guildhall.invalid',
  GUILDHALL_BUILD_ID: folder.buildId,
});

/** Everything here runs as the build's user: what a coder has touched is not for root to read. */
function startScript(cell: Cell, folder: BuildFolder, script: string, args: string[]) {
  const child = startInCell(cell, {
    command: ['sh', '-c', script, 'git', ...args],
    folder: folder.checkout,
    environment: environment(folder),
  });
  child.stdin?.on('error', () => {}).end();
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const limit = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      if (code === 0) resolve();
      else reject(new Error(pickComplaint(complaint) || 'git ended without a word'));
    });
  });
  ended.catch(() => {});
  return { output: child.stdout!, ended };
}

async function readScript(cell: Cell, folder: BuildFolder, script: string, args: string[]): Promise<string> {
  const { output, ended } = startScript(cell, folder, script, args);
  let text = '';
  output.on('data', (chunk) => {
    text = (text + chunk).slice(-10_000);
  });
  await ended;
  return text.trim();
}

export const fillCheckout = (cell: Cell, folder: BuildFolder): Promise<string> =>
  readScript(cell, folder, FILL, []);

/** Leaves the bundle of everything the coder did in the spool; false when it did nothing. */
export async function collectCommits(
  cell: Cell,
  folder: BuildFolder,
  started: StartedBuild,
): Promise<boolean> {
  const { base_sha, branch, ref, title } = started;
  const head = await readScript(cell, folder, COMMIT, [base_sha, branch, `${ref}: ${title}`, folder.tmp]);
  const sha = head.split('\n').at(-1);
  if (!sha || !/^[0-9a-f]{40,64}$/.test(sha)) throw new Error('the repository is damaged');
  if (sha === base_sha) return false;
  await writeBundle(cell, folder, [base_sha, branch]);
  return true;
}

async function writeBundle(cell: Cell, folder: BuildFolder, args: string[]): Promise<void> {
  const { output, ended } = startScript(cell, folder, BUNDLE, args);
  const unfinished = `${folder.commitsBundle}.new`;
  let size = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of output as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > COMMITS_LIMIT_BYTES) throw new Error('they are larger than 64 MiB');
      yield chunk;
    }
  }
  try {
    await pipeline(counted, createWriteStream(unfinished, { mode: 0o600 }));
    await ended;
    await rename(unfinished, folder.commitsBundle);
  } finally {
    remove(unfinished);
  }
}
