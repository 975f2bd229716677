import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Build } from '../../client/src/index.js';
import { type Checkout, findCheckout, listRemotes, nameRepository } from './checkout.js';
import { broken, misuse } from './failure.js';
import { askGit, git } from './git.js';
import { mainWorktree } from './repository.js';

/** The build that a worktree is for. Stored in the worktree's git folder and deleted with it. */
export interface WorkInHand {
  url: string;
  build_id: string;
  ref: string;
  attempt: number;
  branch: string;
  base_sha: string;
}

const NOTE = 'guildhall-build.json';
export const BRIEF = '.guildhall/brief.md';

export function findWork(checkout: Checkout | undefined): WorkInHand | undefined {
  if (!checkout) return undefined;
  try {
    return JSON.parse(readFileSync(join(checkout.gitFolder, NOTE), 'utf8')) as WorkInHand;
  } catch {
    return undefined;
  }
}

export const nameWorktree = (checkout: Checkout, { ref, attempt }: Build): string => {
  const main = mainWorktree(checkout);
  return join(dirname(main), `${basename(main)}-${ref.toLowerCase()}-${attempt}`);
};

interface Worktree {
  path: string;
  /** Undefined if HEAD is detached. */
  branch: string | undefined;
}

async function listWorktrees({ root }: Checkout, signal: AbortSignal): Promise<Worktree[]> {
  const list = await git(root, ['worktree', 'list', '--porcelain'], signal);
  return list.split('\n\n').map((entry) => ({
    path: /^worktree (.*)$/m.exec(entry)?.[1] ?? '',
    branch: /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1],
  }));
}

export const findWorktree = async (checkout: Checkout, branch: string, signal: AbortSignal) =>
  (await listWorktrees(checkout, signal)).find((each) => each.branch === branch)?.path;

/** Finds the worktree of a card in this repository; of several attempts, the newest. */
export async function findWorktreeOf(
  checkout: Checkout,
  ref: string,
  signal: AbortSignal,
): Promise<{ checkout: Checkout; work: WorkInHand } | undefined> {
  const found = (await listWorktrees(checkout, signal)).flatMap(({ path }) => {
    const own = existsSync(path) ? findCheckout(path) : undefined;
    const work = findWork(own);
    return own && work && work.ref.toLowerCase() === ref.toLowerCase() ? [{ checkout: own, work }] : [];
  });
  return found.sort((a, b) => b.work.attempt - a.work.attempt)[0];
}

/** Fetches the base commit of a build from the project's repository, unless it is present. */
export async function fetchBase(
  checkout: Checkout,
  { base_sha, base_branch }: Build,
  repository: string,
  signal: AbortSignal,
): Promise<void> {
  const { root } = checkout;
  const has = async () =>
    (await askGit(root, ['cat-file', '-e', `${base_sha}^{commit}`], signal)) !== undefined;
  if (await has()) return;
  const remotes = listRemotes(checkout);
  const wanted = nameRepository(repository);
  const remote = remotes.find((each) => nameRepository(each, root) === wanted) ?? remotes[0];
  if (remote !== undefined)
    await git(root, ['fetch', '--quiet', '--no-tags', '--', remote, `refs/heads/${base_branch}`], signal);
  if (await has()) return;
  throw broken(
    `The commit ${base_sha.slice(0, 12)} of ${base_branch} is not in this clone`,
    'Fetch it and run the command again, or release the card with: guildhall work --drop',
  );
}

/** Creates a worktree on the build's branch, with its brief in it. An existing branch is reused. */
export async function createWorktree(
  checkout: Checkout,
  path: string,
  build: Build,
  { url, brief, signal }: { url: string; brief: string; signal: AbortSignal },
): Promise<void> {
  const { build_id, ref, attempt, branch, base_sha } = build;
  const { root } = checkout;
  const there = await askGit(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], signal);
  const what = there === undefined ? ['-b', branch, path, base_sha] : [path, branch];
  await git(root, ['worktree', 'add', '--quiet', ...what], signal);
  const made = findCheckout(path);
  if (!made) throw broken(`${path} could not be created as a worktree`);
  writeBrief(made, brief);
  const note: WorkInHand = { url, build_id, ref, attempt, branch, base_sha };
  writeFileSync(join(made.gitFolder, NOTE), `${JSON.stringify(note, null, 2)}\n`);
}

/** Writes the brief inside the worktree only, even if the repository has links with these names. */
function writeBrief({ root, commonFolder }: Checkout, brief: string): void {
  const file = join(root, BRIEF);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  if (!lstatSync(folder).isDirectory())
    throw broken(`${folder} is a link, so the brief is not written there`);
  rmSync(file, { force: true });
  writeFileSync(file, brief, { flag: 'wx' });
  ignore(commonFolder, `/${BRIEF}`);
}

function ignore(commonFolder: string, line: string): void {
  const file = join(commonFolder, 'info', 'exclude');
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    mkdirSync(dirname(file), { recursive: true });
  }
  if (text.split('\n').includes(line)) return;
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
}

export async function listUncommitted(root: string, signal: AbortSignal): Promise<string[]> {
  const status = await git(root, ['status', '--porcelain', '-z', '--no-renames'], signal);
  return status
    .split('\0')
    .filter(Boolean)
    .map((entry) => entry.slice(3));
}

const quote = (path: string) => (/^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** Refuses to delete the folder that the person's shell is in. */
export function refuseToRemoveOwnFolder(checkout: Checkout, folder: string, command: string): void {
  const inside = relative(realpathSync(checkout.root), realpathSync(folder));
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return;
  throw misuse(
    `You are in ${checkout.root}, which --remove deletes; nothing was done`,
    `Go to the repository first: cd ${quote(mainWorktree(checkout))} && ${command}`,
  );
}

export async function removeWorktree(checkout: Checkout, signal: AbortSignal): Promise<void> {
  const main = mainWorktree(checkout);
  if (realpathSync(resolve(checkout.root)) === realpathSync(main))
    throw misuse('The main worktree cannot be removed');
  await git(main, ['worktree', 'remove', checkout.root], signal);
}
