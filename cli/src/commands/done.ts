import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { broken, misuse } from '../failure.js';
import { askGit, findInOutput, git } from '../git.js';
import { given } from '../options.js';
import {
  findWork,
  findWorktreeOf,
  listUncommitted,
  refuseToRemoveOwnFolder,
  removeWorktree,
  type WorkInHand,
} from '../worktree.js';

const LARGEST_BUNDLE = 64 * 1024 * 1024;
const MOST_NAMED = 10;

interface WorkHere {
  checkout: Checkout;
  work: WorkInHand;
}

/** The worktree of the given card, or else the current one. */
async function getWork(call: Call): Promise<WorkHere> {
  const [ref] = call.args;
  const here = call.checkout();
  const ownWork = findWork(here);
  const found =
    ref === undefined
      ? here && ownWork && { checkout: here, work: ownWork }
      : here && (await findWorktreeOf(here, ref, call.signal));
  if (!found)
    throw misuse(
      ref === undefined ? 'Not in the worktree of a card' : `This repository has no worktree of ${ref}`,
      'Create one with: guildhall work <card>, and run guildhall done in it.',
    );
  const { url } = call.service();
  const { work } = found;
  if (work.url !== url) throw misuse(`This worktree belongs to ${work.url}, but you are signed in to ${url}`);
  return found;
}

/** Without --all, uncommitted changes are an error, because they would be missing from the submission. */
async function commitAll(call: Call, root: string, { ref }: WorkInHand): Promise<void> {
  const { options, signal } = call;
  const changed = await listUncommitted(root, signal);
  if (changed.length === 0) return;
  if (!options.flag('all')) {
    const named = changed.slice(0, MOST_NAMED).join(', ');
    const more = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : '';
    throw misuse(`Uncommitted changes: ${named}${more}`, 'Commit them, or pass --all to commit them now.');
  }
  const [subject = ''] = (options.text('message') ?? '').split('\n');
  await git(root, ['add', '--all'], signal);
  await git(root, ['commit', '--quiet', '-m', `${ref}: ${subject || 'work by hand'}`], signal);
}

async function requireBranch(root: string, { branch }: WorkInHand, signal: AbortSignal): Promise<void> {
  const here = await askGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'], signal);
  if (here !== branch)
    throw misuse(
      `The worktree is on ${here ?? 'no branch'}, but the branch of the card is ${branch}`,
      `Move your commits to that branch, then run in ${root}: git switch ${branch}`,
    );
}

/** Refuses to submit this service's credentials, as a desk does, unless the workspace allows it. */
async function refuseSecrets(call: Call, root: string, range: string): Promise<void> {
  const { env, config, signal } = call;
  const kept = Object.values(config.contexts).flatMap(({ token, session, agents = [] }) => [
    token,
    session,
    ...agents.map((each) => each.token),
  ]);
  const secrets = [env['GUILDHALL_TOKEN'], env['GUILDHALL_ADMIN_KEY'], ...kept].filter(
    (secret): secret is string => Boolean(secret),
  );
  if (secrets.length === 0) return;
  const show = ['log', '-p', '-m', '--text', '--no-ext-diff', '--no-textconv', '--no-color', '--format=raw'];
  if (!(await findInOutput(root, [...show, range], secrets, signal))) return;
  const policy = await call.service().client.getBuildPolicy({}, { signal });
  if (policy.allow_secrets) return;
  throw broken(
    'The commits contain one of your Guildhall tokens and were not submitted',
    'Remove the token from every commit, then revoke it and create a new one.',
  );
}

async function handIn(call: Call, root: string, { build_id, branch, base_sha }: WorkInHand): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-bundle-'));
  const file = join(folder, 'commits.bundle');
  try {
    await git(root, ['bundle', 'create', '--quiet', file, `${base_sha}..${branch}`], call.signal);
    if (statSync(file).size > LARGEST_BUNDLE)
      throw broken('The commits are larger than 64 MiB', 'Remove large files from the commits.');
    const body = new Blob([readFileSync(file)]);
    await call.service().client.handInCommits({ build_id, body }, { signal: call.signal });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const done: Command = {
  use: 'done [card]',
  about:
    'Submit the commits in the worktree of a card as the result of its build. Defaults to the current worktree.',
  examples: [
    'guildhall done --message "Rounds half up now"',
    'guildhall done --failed "The rate table is missing"',
    'guildhall done ENG-12 --remove',
  ],
  options: [
    ['--message <text>', 'The summary; default: the commit subjects'],
    ['--failed <reason>', 'Submit as failed, with the reason'],
    ['--all', 'Commit uncommitted changes first'],
    [
      '--remove',
      'Delete the worktree afterwards; needs a card, and another folder of the repository as the current one',
    ],
  ],
  async run(call) {
    const { options, out, signal } = call;
    const { checkout, work } = await getWork(call);
    const { root } = checkout;
    if (options.flag('remove'))
      refuseToRemoveOwnFolder(checkout, call.folder, `guildhall done ${work.ref} --remove`);
    const { client, url } = call.service();
    const { build_id, base_sha, branch, ref, attempt } = work;
    await requireBranch(root, work, signal);
    await commitAll(call, root, work);
    const range = `${base_sha}..${branch}`;
    const subjects = await git(root, ['log', '--format=%s', '--reverse', range], signal);
    const reason = options.text('failed');
    if (subjects === '' && reason === undefined)
      throw misuse('No commits to submit', 'Commit your work, or pass --failed <reason>.');
    if (subjects !== '') {
      await refuseSecrets(call, root, range);
      await handIn(call, root, work);
    }
    const outcome = reason === undefined ? 'succeeded' : 'failed';
    const result = options.text('message') ?? (subjects || undefined);
    await client.handInBuild(given({ build_id, outcome, reason, result }), { signal });
    const build = await client.getBuild({ build_id }, { signal });
    if (options.flag('remove')) await removeWorktree(checkout, signal);
    const { diff } = build;
    const changed = diff ? `: ${diff.files} files, +${diff.insertions} -${diff.deletions}` : '';
    out.done(
      build,
      `Submitted ${ref}, attempt ${attempt}, as ${build.status}${changed}\n${url}/dashboard/builds/${build_id}`,
    );
  },
};
