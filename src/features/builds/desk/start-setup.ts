import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import type { StartAnswer } from './desk.schemas.js';

type StartSetup = Pick<StartAnswer, 'project_id' | 'setup' | 'trusted_base' | 'notes'>;

/**
 * How the checkout is made usable. What the repository says of it is read where the line of attempts began: a coder must
 * not have a say in what runs before the next one.
 */
export function createStartSetup({ projects }: Pick<BuildOptions, 'projects'>) {
  return async (build: BuildRow): Promise<StartSetup> => {
    const { kind, brand_id, project_id, base_sha, origin_sha, continues } = build;
    const origin = origin_sha ?? (continues === null ? base_sha : undefined);
    const common = { project_id, trusted_base: origin === base_sha };
    // Who only reads needs nothing to run.
    const project = kind === 'review' ? undefined : await projects.findProject(brand_id, project_id);
    if (!project) return { ...common, setup: null };
    const { definition, fault } = await projects.checks.findAt(project, origin);
    return { ...common, setup: definition.setup, ...(fault && { notes: [fault] }) };
  };
}
