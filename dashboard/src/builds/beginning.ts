import { readCard } from '../api/boards.js';
import { type Build, listBuilds } from '../api/builds.js';
import { guildhall } from '../api/client.js';
import { readForge } from '../api/forges.js';
import { listProjects, readIndex } from '../api/lessons.js';
import { listWorkstations } from '../api/machines.js';
import { isDemoAttempt, isOpen } from './build-words.js';

/** A workspace's progress to its first accepted build. Demo data does not count. */
export interface Beginning {
  project: Fact;
  desk: Fact;
  cards: number;
  suggestion: Suggestion | undefined;
  build: { build_id: string; attempt: number; open: boolean; succeeded: boolean } | undefined;
  /** Whether any attempt has a review, including a request for rework. */
  reviewed: boolean;
  accepted: boolean;
  /** The pull request of the first accepted build; undefined if the project has no repository host. */
  pull: FirstPull | undefined;
}

/** The number is null until the pull request is opened. */
export interface FirstPull {
  number: number | null;
  url: string | null;
  state: string | null;
}

interface Fact {
  ready: boolean;
  text: string;
}

export interface Suggestion {
  task_id: string;
  ref: string;
  title: string;
  project_id: string;
}

const LOOKED_AT = 50;
const PROJECTS_LOOKED_AT = 8;

export async function readBeginning(signal: AbortSignal): Promise<Beginning> {
  const answer = await listBuilds({ limit: LOOKED_AT }, signal);
  const builds = answer.builds.filter((each) => !isDemoAttempt(each));
  const accepted = builds.some(({ review }) => review?.decision === 'accept');
  const reviewed = builds.some(({ review }) => review !== null);
  const latest = builds[0];
  const build = latest && {
    build_id: latest.build_id,
    attempt: latest.attempt,
    open: isOpen(latest),
    succeeded: latest.status === 'succeeded',
  };
  if (reviewed)
    return {
      ...NOTHING,
      build,
      reviewed,
      accepted,
      pull: await readPull(builds, latest?.project_id, signal),
    };
  const [projects, desk] = await Promise.all([readProjects(signal), readDesks(signal)]);
  const { suggestion, cards } = await findCard(projects.readyIds, signal);
  const pull = await readPull(builds, latest?.project_id ?? suggestion?.project_id, signal);
  return { project: projects.fact, desk, cards, suggestion, build, reviewed, accepted, pull };
}

/** The first accepted build's pull request; before that an empty one if the project has a repository host. */
async function readPull(
  builds: readonly Build[],
  projectId: string | undefined,
  signal: AbortSignal,
): Promise<FirstPull | undefined> {
  const accepted = builds.find(({ review }) => review?.decision === 'accept');
  const of = accepted?.project_id ?? projectId;
  if (!of || !(await readForge(of, signal))) return undefined;
  const card = accepted && (await readCard(accepted.task_id, signal).catch(() => undefined));
  return { number: card?.pr_number ?? null, url: card?.pr_url ?? null, state: card?.pr_state ?? null };
}

const DONE: Fact = { ready: true, text: '' };
const NOTHING = { project: DONE, desk: DONE, cards: 0, suggestion: undefined };

async function readProjects(signal: AbortSignal): Promise<{ fact: Fact; readyIds: Set<string> }> {
  const { projects } = await listProjects(signal);
  const withCode = projects.filter(({ repository }) => repository).slice(0, PROJECTS_LOOKED_AT);
  const indexes = await Promise.all(
    withCode.map(({ project_id }) => readIndex(project_id, signal).catch(() => null)),
  );
  const readyIds = new Set(
    withCode.flatMap(({ project_id }, at) => (indexes[at]?.commit ? [project_id] : [])),
  );
  if (readyIds.size > 0) return { fact: DONE, readyIds };
  const failed = indexes.find((index) => index?.status === 'failed');
  const text = failed
    ? `The code could not be indexed: ${failed.error}`
    : withCode.length > 0
      ? 'The code is being indexed; this takes a moment.'
      : 'Create a project and add its repository. Guildhall indexes the code automatically.';
  return { fact: { ready: false, text }, readyIds };
}

async function readDesks(signal: AbortSignal): Promise<Fact> {
  const { workstations } = await listWorkstations(signal);
  if (workstations.some(({ ready }) => ready)) return DONE;
  return {
    ready: false,
    text:
      workstations.length > 0
        ? 'A desk is ordered; run its installer, and it comes online in about 90 seconds.'
        : 'Order a desk and run its installer on a Linux machine.',
  };
}

async function findCard(
  projectIds: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Pick<Beginning, 'suggestion' | 'cards'>> {
  const { items, total } = await guildhall.findTasks(
    { status: 'pending,in_progress,blocked', limit: LOOKED_AT, with: 'project_id' },
    { signal },
  );
  const found = items.find((item) => projectIds.has(projectOf(item)));
  return {
    cards: total,
    suggestion: found && {
      task_id: found.id,
      ref: found.ref,
      title: found.title,
      project_id: projectOf(found),
    },
  };
}

const projectOf = (item: object): string => (item as { project_id?: string }).project_id ?? '';
