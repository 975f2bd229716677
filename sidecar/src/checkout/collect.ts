import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { remove, syncToDisk } from '../desk-files.js';
import type { Cell } from '../runner/isolation.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Secrets } from '../spool/secret-filter.js';
import { COMMITS_LIMIT_BYTES, type Committer, type StartedBuild } from '../work/build-protocol.js';
import { readScript, SAFE_GIT, startScript } from './cell-script.js';
import { createSecretSearch } from './find-secret.js';

/**
 * Restores the permissions that a coder may have removed and deletes what git would block on: pipes, sockets
 * and stale locks. Uses the absolute path, because a folder without permissions cannot even be entered as the
 * current directory.
 */
const OPEN = `
chmod u+rwx "$GIT_WORK_TREE"
cd "$GIT_WORK_TREE"
find . -type d ! -perm -700 -exec chmod u+rwx {} \\; \
  -o -type f ! -perm -400 -exec chmod u+r {} \\; \
  -o ! -type d ! -type f ! -type l -exec rm -f {} \\; || :
place=$(git rev-parse --absolute-git-dir)
find "$place/" -path "$place/objects" -prune -o -type f -name '*.lock' -exec rm -f {} +
`;

/**
 * git would record a repository inside the checkout as a submodule that points nowhere, so its files are kept
 * and its history is moved away.
 */
const PUT_NESTED_AWAY = `find . -mindepth 2 -name .git -prune -exec sh -c '
${SAFE_GIT}
away=$1
shift
for nested; do
  if git ls-files --stage -- "\${nested%/.git}" | grep -q "^160000 "; then continue; fi
  mv "$nested" "$(mktemp -d "$away/nested-XXXXXX")/"
done' sh "$away" {} +
`;

/**
 * Commits uncommitted changes and prints the last commit of the branch. The branch is written last, so that
 * branches of the coder cannot block it. Work that no longer descends from the base becomes one commit on the
 * base.
 */
const COMMIT = `
set -e
base=$1 branch=$2 message=$3 away=$4
export GIT_AUTHOR_NAME="$5" GIT_AUTHOR_EMAIL="$6" GIT_COMMITTER_NAME="$5" GIT_COMMITTER_EMAIL="$6"
${OPEN}
${PUT_NESTED_AWAY}
git add --all --sparse 2>/dev/null || git add --all
tree=$(git write-tree)
head=$(git rev-parse --verify --quiet 'HEAD^{commit}') || head=
merged=$(sed -n 's/^\\([0-9a-f]\\{40,64\\}\\)$/-p \\1/p' "$place/MERGE_HEAD" 2>/dev/null) || :
if [ -z "$head" ] || [ -n "$merged" ] || [ "$tree" != "$(git rev-parse "$head^{tree}")" ]; then
  head=$(git commit-tree \${head:+-p "$head"} $merged -m "$message" "$tree")
fi
tip=$(git rev-parse --verify --quiet "refs/heads/$branch^{commit}") || tip=
if [ -n "$tip" ] && git merge-base --is-ancestor "$head" "$tip"; then head=$tip; fi
if ! git merge-base --is-ancestor "$base" "$head"; then
  head=$(git commit-tree -p "$base" -m "$message" "$head^{tree}")
fi
if ! git update-ref --no-deref "refs/heads/$branch" "$head" 2>/dev/null; then
  for other in $(git for-each-ref --format='%(refname)' "refs/heads/$branch/"); do git update-ref --no-deref -d "$other"; done
  above=$branch
  while [ "$above" != "\${above%/*}" ]; do
    above=\${above%/*}
    git update-ref --no-deref -d "refs/heads/$above"
  done
  git update-ref --no-deref "refs/heads/$branch" "$head"
fi
echo "$head"
`;

const FILL = `cd "$GIT_WORK_TREE" && git reset --hard --quiet`;
const BUNDLE = `cd "$GIT_WORK_TREE" && git bundle create --quiet - "refs/heads/$2" "^$1"`;

/** Shows what each submitted commit adds, independent of the coder's git settings. */
const SHOW = `
set -e
cd "$GIT_WORK_TREE"
commits=$(git -c core.commitGraph=false rev-list "$2" "^$1")
printf '%s\\n' "$commits" | git -c core.commitGraph=false -c core.bigFileThreshold=512m diff-tree --stdin -r -m --root \
  --pretty=raw --patch --unified=0 --text --no-ext-diff --no-textconv --no-renames --no-color --src-prefix=a/ --dst-prefix=b/
`;

export const fillCheckout = (cell: Cell, folder: BuildFolder): Promise<string> =>
  readScript(cell, folder, FILL, []);

/** The commits contain a secret and stay on the desk. */
export class CommitsHoldSecret extends Error {}

/** Writes a bundle of the coder's commits into the spool; false without commits. */
export async function collectCommits(
  cell: Cell,
  folder: BuildFolder,
  started: StartedBuild,
  secrets: Secrets,
  committer: Committer,
): Promise<boolean> {
  const { base_sha, branch, ref, title } = started;
  const head = await readScript(cell, folder, COMMIT, [
    base_sha,
    branch,
    `${ref}: ${title}`,
    folder.tmp,
    committer.name,
    committer.email,
  ]);
  const sha = head.split('\n').at(-1);
  if (!sha || !/^[0-9a-f]{40,64}$/.test(sha)) throw new Error('the repository is damaged');
  if (sha === base_sha) return false;
  if (!started.allow_secrets) await refuseSecrets(cell, folder, [base_sha, sha], secrets);
  await writeBundle(cell, folder, [base_sha, branch]);
  return true;
}

async function refuseSecrets(
  cell: Cell,
  folder: BuildFolder,
  args: string[],
  secrets: Secrets,
): Promise<void> {
  const search = createSecretSearch(secrets);
  const { input, output, ended } = startScript(cell, folder, SHOW, args);
  input.end();
  for await (const chunk of output as AsyncIterable<Buffer>) {
    search.push(chunk);
    // Leaving the loop closes the pipe, which ends git.
    if (search.found()) break;
  }
  const found = search.found();
  if (found) throw new CommitsHoldSecret(`they hold a secret of this desk, ${found.name}, in ${found.where}`);
  await ended;
}

async function writeBundle(cell: Cell, folder: BuildFolder, args: string[]): Promise<void> {
  const { input, output, ended } = startScript(cell, folder, BUNDLE, args);
  input.end();
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
    syncToDisk(unfinished);
    await rename(unfinished, folder.commitsBundle);
    syncToDisk(dirname(folder.commitsBundle));
  } finally {
    remove(unfinished);
  }
}
