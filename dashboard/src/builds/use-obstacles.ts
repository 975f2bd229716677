import type { FullCard } from '../api/boards.js';
import { type Build, readPolicy } from '../api/builds.js';
import { GuildhallError } from '../api/client.js';
import { readIndex, readProject } from '../api/lessons.js';
import { useResource } from '../api/resource.js';
import { buildAddress, isOpen } from './build-words.js';

/** A reason why a card cannot be built now, and where to change it. */
interface Obstacle {
  text: string;
  link?: { to: string; label: string };
}

export interface Readiness {
  loading: boolean;
  obstacle: Obstacle | undefined;
  /** The default branch that a build starts from. */
  branch: string | undefined;
}

const INDEX_POLL_MS = 3_000;

export function useReadiness(card: Pick<FullCard, 'project_id'>, builds: Build[] | undefined): Readiness {
  const { project_id: id } = card;
  const policy = useResource('build-policy', readPolicy, { freshMs: 10_000 });
  const project = useResource(id ? `project:${id}` : null, (signal) => readProject(id!, signal), {
    freshMs: 10_000,
  });
  const index = useResource(id ? `index:${id}` : null, (signal) => readIndex(id!, signal).catch(noIndex), {
    pollMs: INDEX_POLL_MS,
  });
  const branch = project.data?.repository?.branch ?? undefined;
  const known = (obstacle: Obstacle | undefined) => ({ loading: false, obstacle, branch });
  if (policy.data?.enabled === false)
    return known({
      text: 'Builds are switched off in this workspace.',
      link: { to: '/dashboard/builds', label: 'Build policy' },
    });
  const open = builds?.find(isOpen);
  if (open)
    return known({
      text: `Attempt ${open.attempt} is open. A card has one build at a time.`,
      link: { to: buildAddress(open.build_id), label: 'Open' },
    });
  if (!id)
    return known({
      text: 'This card has no project. Choose one in its fields.',
      link: { to: '/dashboard/lessons', label: 'Projects' },
    });
  const link = { to: `/dashboard/lessons/${id}`, label: 'Open the project' };
  if (project.fault?.status === 404)
    return known({ text: 'The project of this card was deleted. Choose another one.' });
  if (!project.data || index.data === undefined)
    return { loading: !project.fault, obstacle: undefined, branch };
  if (!project.data.repository)
    return known({ text: `The project ${project.data.name} has no repository.`, link });
  return known(explainIndex(project.data.name, index.data, link));
}

type Index = Awaited<ReturnType<typeof readIndex>>;

/** A project that was never indexed returns 404. */
function noIndex(error: unknown): null {
  if (error instanceof GuildhallError && error.status === 404) return null;
  throw error;
}

function explainIndex(name: string, index: Index | null, link: Obstacle['link']): Obstacle | undefined {
  if (index?.status === 'ready' || index?.commit) return undefined;
  if (!index) return { text: `The code of ${name} has not been indexed yet.`, link };
  if (index.status === 'failed')
    return { text: `The code of ${name} could not be indexed: ${index.error}`, link };
  const { progress } = index;
  const far =
    progress && progress.total > 0 ? ` (${progress.phase}, ${progress.done} of ${progress.total})` : '';
  return { text: `The code of ${name} is being indexed${far}; it can be built in a moment.`, link };
}
