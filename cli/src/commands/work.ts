import { resolve } from 'node:path';
import type { Build } from '../../../client/src/index.js';
import { type Checkout, findCheckout } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { broken, misuse } from '../failure.js';
import { findCardId, findProjectId } from '../find.js';
import { given } from '../options.js';
import { confirm } from '../prompt.js';
import {
  BRIEF,
  createWorktree,
  fetchBase,
  findWork,
  findWorktree,
  nameWorktree,
  refuseToRemoveOwnFolder,
  removeWorktree,
} from '../worktree.js';
import { explainStart } from './builds.js';

function getCheckout(call: Call): Checkout {
  const checkout = call.checkout();
  if (checkout) return checkout;
  throw misuse('Not in a git checkout', 'Run this command in a clone of the repository of the card.');
}

/** Finds the caller's own local build on a card, if one is open. */
async function findOpen(call: Call, task_id: string): Promise<Build | undefined> {
  const { client } = call.service();
  const { builds } = await client.listBuilds({ task_id, state: 'open', limit: 1 }, { signal: call.signal });
  const [open] = builds;
  if (!open) return undefined;
  if (!open.local)
    throw broken(
      `A desk is already building ${open.ref}`,
      `Wait for it to finish, or cancel it with: guildhall builds cancel ${open.build_id}`,
    );
  const { user_id } = await client.getCredential({}, { signal: call.signal });
  if (open.created_by?.user_id === user_id) return open;
  throw broken(`${open.ref} is claimed by ${open.created_by?.name ?? 'someone else'}`);
}

/** Returns the repository of the card's project, which must match the checkout. */
async function getRepository(call: Call, task_id: string): Promise<string> {
  const { client } = call.service();
  const { signal } = call;
  const card = (await client.getTask({ task_id }, { signal })) as { ref: string; project_id: string | null };
  if (card.project_id === null)
    throw broken(
      `${card.ref} has no project`,
      `Set a project with: guildhall cards edit ${card.ref} --project <project>`,
    );
  const here = await findProjectId(call);
  const project = await client.getProject({ project_id: card.project_id }, { signal });
  if (here !== undefined && here !== card.project_id)
    throw misuse(
      `${card.ref} belongs to project ${project.name}, but this checkout does not`,
      'Run this command in a clone of its repository.',
    );
  return project.repository?.url ?? '';
}

async function findOwnWorktree(call: Call, branch: string): Promise<Checkout | undefined> {
  const path = await findWorktree(getCheckout(call), branch, call.signal);
  return path === undefined ? undefined : findCheckout(path);
}

async function drop(call: Call): Promise<void> {
  const { client } = call.service();
  const { signal } = call;
  const [card] = call.args;
  const work = findWork(call.checkout());
  const build = card === undefined ? work : await findOpen(call, await findCardId(call, card));
  if (!build)
    throw misuse(
      'No card to drop',
      'Pass a card, or run this command in the worktree that guildhall work created.',
    );
  const checkout = call.options.flag('remove') ? await findOwnWorktree(call, build.branch) : undefined;
  if (checkout) refuseToRemoveOwnFolder(checkout, call.folder, `guildhall work ${build.ref} --drop --remove`);
  await confirm(`Drop ${build.ref}?`, call.options.flag('yes'));
  const canceled = await client.cancelBuild({ build_id: build.build_id }, { signal });
  if (checkout) await removeWorktree(checkout, signal);
  call.out.done(canceled, `Dropped ${build.ref}.${checkout ? '' : ' Your changes stay in its worktree.'}`);
}

export const work: Command = {
  use: 'work [card]',
  about: 'Claim a card and create a worktree with its branch and brief. Run the command again to continue.',
  examples: ['guildhall work ENG-12', 'guildhall work ENG-12 --path ../rounding', 'guildhall work --drop'],
  options: [
    ['--path <folder>', 'The folder for the worktree; default: next to the repository'],
    ['--base <branch>', 'The branch to start from'],
    ['--note <text>', 'Extra instructions for the coder; - reads standard input'],
    ['--drop', 'Drop the card, so that others can claim it'],
    [
      '--remove',
      'With --drop: also delete the worktree; needs a card, and another folder as the current one',
    ],
    ['--yes', 'Skip the confirmation'],
  ],
  async run(call) {
    const { options, out, signal, args } = call;
    if (options.flag('drop')) return drop(call);
    if (args[0] === undefined) throw misuse('Missing card', 'Pass the ref of a card: guildhall work ENG-12');
    const checkout = getCheckout(call);
    const { client, url } = call.service();
    const task_id = await findCardId(call, args[0]);
    const repository = await getRepository(call, task_id);
    const open = await findOpen(call, task_id);
    const fields = given({ base_branch: options.text('base'), note: await options.long('note') });
    const build =
      open ??
      (await client.createBuild({ task_id, local: true, ...fields }, { signal }).catch((error: unknown) => {
        throw explainStart(error, args[0]!);
      }));
    let path = await findWorktree(checkout, build.branch, signal);
    if (path === undefined) {
      path = resolve(call.folder, options.text('path') ?? nameWorktree(checkout, build));
      await fetchBase(checkout, build, repository, signal);
      const brief = String(await client.getBuildBrief({ build_id: build.build_id }, { signal }));
      await createWorktree(checkout, path, build, { url, brief, signal });
    }
    out.done(
      { ...build, path },
      [
        `${open ? 'Continuing' : 'Claimed'} ${build.ref}, attempt ${build.attempt}, on ${build.branch}:`,
        `  cd ${path}`,
        `The brief is in ${BRIEF}. Commit your changes, then submit them with: guildhall done`,
      ].join('\n'),
    );
  },
};
