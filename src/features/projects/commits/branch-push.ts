import { GitError } from '../git/git-program.js';
import { type Mirror, type OpenRemote, runOf } from '../git/mirror.js';

/** Why a branch is not where it should be; the words are for everybody. */
export class PushFailed extends Error {
  constructor(
    message: string,
    /** Whether it may go well another time. */
    readonly mayPass: boolean,
  ) {
    super(message);
    this.name = 'PushFailed';
  }
}

const PUSH_MS = 120_000;
const NOT_TAKEN = 'The repository did not take the branch';

/** A new branch at the other end; one that is there already with this very commit is as good. */
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
    // Somebody was there first, or an answer was lost on its way back.
    const now = await mirror.findRemoteCommit(remote, branch, signal).catch(() => undefined);
    if (now === commit) return;
    if (now !== undefined) throw takenAlready(branch);
    throw error;
  }
}

/**
 * A branch that is there goes on to this commit. False where there is none, or where it went another way: nothing that is at
 * the other end is ever lost. One that holds the commit already is as good.
 */
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
    // An answer was lost on its way back; where somebody was faster it is judged anew the next time.
    if ((await mirror.findRemoteCommit(remote, branch, signal).catch(() => undefined)) !== commit)
      throw error;
  }
  return true;
}

/** Taken by the other end only while the branch is what was `seen` there; empty: not there at all. */
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
