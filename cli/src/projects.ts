import type { Guildhall, Project } from '../../client/src/index.js';
import { type Checkout, listRemotes, nameRepository } from './checkout.js';
import { misuse } from './failure.js';

/** The project that guildhall.json names, or the one whose repository is the checkout's remote. */
export async function findProject(
  checkout: Checkout,
  client: Guildhall,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (checkout.settings.project_id) return checkout.settings.project_id;
  const remotes = listRemotes(checkout);
  if (remotes.length === 0) return undefined;
  const { projects } = await client.listProjects({}, { signal });
  for (const remote of remotes) {
    const found = projects.filter((project) => hasRepository(project, nameRepository(remote, checkout.root)));
    if (found.length > 1)
      throw misuse(
        `More than one project has the repository ${remote}`,
        `Set project_id in guildhall.json to one of: ${found.map((each) => `${each.project_id} (${each.name})`).join(', ')}`,
      );
    if (found[0]) return found[0].project_id;
  }
  return undefined;
}

const hasRepository = ({ repository }: Project, name: string) =>
  repository !== null && nameRepository(repository.url) === name;
