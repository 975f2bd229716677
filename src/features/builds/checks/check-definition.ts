import type { BoardService } from '../../boards/index.js';
import type { ProjectChecks } from '../../projects/index.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';
import { checksUnread } from './checks.errors.js';

/** What has to hold of a build before it is a success. */
export type BuildChecks = Pick<ProjectChecks, 'checks' | 'setup' | 'required'>;

type OwnCheck = BuildChecks['checks'][number];

interface DefinitionDeps {
  projects: BuildOptions['projects'];
  boards: Pick<BoardService, 'findCardToBuild'>;
}

/** The commit of the base branch that the line of attempts began from; unknown of a line older than such facts. */
export const originOf = ({ origin_sha, continues, base_sha }: BuildRow): string | undefined =>
  origin_sha ?? (continues === null ? base_sha : undefined);

/** What there is to check: what the build brought, else what the attempts before it did. */
export function commitToCheck(build: BuildRow): string | undefined {
  if (build.head_sha !== null) return build.head_sha;
  return build.base_sha === originOf(build) ? undefined : build.base_sha;
}

/** The checks at the base of a build: a coder has no say in what it is held to. Undefined where there are none. */
export function createCheckDefinition({ projects, boards }: DefinitionDeps) {
  return async (build: BuildRow): Promise<BuildChecks | undefined> => {
    const project = await projects.findProject(build.brand_id, build.project_id);
    if (!project) return undefined;
    const { definition, unread } = await projects.checks.findAt(project, originOf(build));
    // Nobody passes because the gate could not be seen: whoever brings the news says it again.
    if (unread) throw checksUnread();
    const found = await boards.findCardToBuild(build.brand_id, build.task_id);
    const checks = joinChecks(definition.checks, readCardChecks(found?.card.agent_context));
    return checks.length === 0
      ? undefined
      : { checks, setup: definition.setup, required: definition.required };
  };
}

/** A card's own come last. One that is called like another is named as the card's, so that every name is one check's alone. */
export function joinChecks(project: readonly OwnCheck[], card: readonly OwnCheck[]): OwnCheck[] {
  const taken = new Set(project.map(({ name }) => name));
  const joined = [...project];
  for (const check of card) {
    let name = check.name;
    for (let nth = 1; taken.has(name); nth += 1) name = `${check.name} (card${nth > 1 ? ` ${nth}` : ''})`;
    taken.add(name);
    joined.push({ ...check, name });
  }
  return joined;
}

const DEFAULT_MINUTES = 15;

/** They were judged when the card was written; what an older card calls `checks` in a form of its own is nobody's check. */
function readCardChecks(context: unknown): OwnCheck[] {
  const { checks } = (context ?? {}) as { checks?: unknown };
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: unknown) => {
    const { name, command, minutes } = (check ?? {}) as Partial<Record<keyof OwnCheck, unknown>>;
    if (typeof name !== 'string' || typeof command !== 'string') return [];
    return [{ name, command, minutes: typeof minutes === 'number' ? minutes : DEFAULT_MINUTES }];
  });
}
