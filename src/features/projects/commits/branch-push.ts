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
  const target = `refs/heads/${branch}`;
  const options = (await remote.openForPush?.()) ?? [];
  try {
    await mirror.git(
      [...PUSH, ...options, `--force-with-lease=${target}:`, '--', remote.url, `${commit}:${target}`],
      {
        ...runOf(remote),
        failure: NOT_TAKEN,
        timeoutMs: PUSH_MS,
        signal,
      },
    );
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Somebody was there first, or an answer was lost on its way back.
    const now = await mirror.findRemoteCommit(remote, branch, signal).catch(() => undefined);
    if (now === commit) return;
    if (now !== undefined) throw takenAlready(branch);
    throw error;
  }
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
