import { GitError } from '../git/git-program.js';
import { type Mirror, type OpenRemote, runOf } from '../git/mirror.js';

/** The message is public. */
export class PushFailed extends Error {
  constructor(
    message: string,
    /** True if a retry may succeed. */
    readonly mayPass: boolean,
  ) {
    super(message);
    this.name = 'PushFailed';
  }
}

const PUSH_MS = 120_000;
const NOT_TAKEN = 'The repository did not take the branch';

export async function pushBranch(
  mirror: Mirror,
  remote: OpenRemote,
  { commit, branch }: { commit: string; branch: string },
  signal: AbortSignal,
): Promise<void> {
  const there = await mirror.findRemoteCommit(remote, branch, signal);
  if (there === commit) return;
  if (there !== undefined) throw takenAlready(branch);
  try {
    await send(mirror, remote, { commit, branch, seen: '' }, signal);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Another push was faster, or the answer was lost on its way back.
    const now = await mirror.findRemoteCommit(remote, branch, signal).catch(() => undefined);
    if (now === commit) return;
    if (now !== undefined) throw takenAlready(branch);
    throw error;
  }
}

/** Returns false if the branch is missing or has diverged, so that nothing on the remote is lost. */
export async function pushOnto(
  mirror: Mirror,
  remote: OpenRemote,
  { commit, branch }: { commit: string; branch: string },
  signal: AbortSignal,
): Promise<boolean> {
  const there = (await mirror.fetchBranch(remote, branch, signal))?.commit;
  if (there === undefined) return false;
  if (there === commit || (await mirror.isAncestor(commit, there))) return true;
  if (!(await mirror.isAncestor(there, commit))) return false;
  try {
    await send(mirror, remote, { commit, branch, seen: there }, signal);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // The answer may have been lost; if another push was faster, the next attempt checks again.
    if ((await mirror.findRemoteCommit(remote, branch, signal).catch(() => undefined)) !== commit)
      throw error;
  }
  return true;
}

/** The remote rejects the push if the branch is not at `seen`; empty means that it must not exist. */
async function send(
  mirror: Mirror,
  remote: OpenRemote,
  { commit, branch, seen }: { commit: string; branch: string; seen: string },
  signal: AbortSignal,
): Promise<void> {
  const target = `refs/heads/${branch}`;
  const options = (await remote.openForPush?.()) ?? [];
  await mirror.git(
    [...PUSH, ...options, `--force-with-lease=${target}:${seen}`, '--', remote.url, `${commit}:${target}`],
    { ...runOf(remote), failure: NOT_TAKEN, timeoutMs: PUSH_MS, signal },
  );
}

const takenAlready = (branch: string) =>
  new PushFailed(`The branch ${branch} is there already with other commits`, false);

const PUSH = [
  'push',
  '--quiet',
  '--no-verify',
  '--no-signed',
  '--no-follow-tags',
  '--recurse-submodules=no',
  '--no-thin',
];
