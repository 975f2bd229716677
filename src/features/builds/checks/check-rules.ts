import type { ProjectChecks } from '../../projects/index.js';
import { checksUnread } from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { type CheckEnd, type CheckFinish, hasFailed } from './checks.schemas.js';

export type BuildChecks = Pick<ProjectChecks, 'checks' | 'setup' | 'required'>;

type OwnCheck = BuildChecks['checks'][number];

/** Undefined for builds from before this was stored. */
export const originOf = ({ origin_sha, continues, base_sha }: BuildRow): string | undefined =>
  origin_sha ?? (continues === null ? base_sha : undefined);

/** The commits of the build, or of the attempts before it. */
export function commitToCheck(build: BuildRow): string | undefined {
  if (build.head_sha !== null) return build.head_sha;
  return build.base_sha === originOf(build) ? undefined : build.base_sha;
}

/** Checks are read at the base, because a coder must not choose its own checks. */
export function createCheckDefinition({ projects, boards }: BuildDeps) {
  return async (build: BuildRow): Promise<BuildChecks | undefined> => {
    const project = await projects.findProject(build.brand_id, build.project_id);
    if (!project) return undefined;
    const { definition, unread } = await projects.checks.findAt(project, originOf(build));
    // A build must not pass because its definition was unreadable. The desk repeats its report.
    if (unread) throw checksUnread();
    const found = await boards.findCardToBuild(build.brand_id, build.task_id);
    const checks = joinChecks(definition.checks, readCardChecks(found?.card.agent_context));
    return checks.length === 0
      ? undefined
      : { checks, setup: definition.setup, required: definition.required };
  };
}

/** A card's check gets another name when the project already uses its name. */
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

/** Validated when the card is written, but cards from older releases may hold another form. */
function readCardChecks(context: unknown): OwnCheck[] {
  const { checks } = (context ?? {}) as { checks?: unknown };
  if (!Array.isArray(checks)) return [];
  return checks.flatMap((check: unknown) => {
    const { name, command, minutes } = (check ?? {}) as Partial<Record<keyof OwnCheck, unknown>>;
    if (typeof name !== 'string' || typeof command !== 'string') return [];
    return [{ name, command, minutes: typeof minutes === 'number' ? minutes : DEFAULT_MINUTES }];
  });
}

export interface ChecksVerdict {
  passed: boolean;
  reason: string | null;
  /** Whether another attempt may help: the coder's work failed, not the setup. */
  rework: boolean;
}

export interface EndedCheck {
  name: string;
  status: CheckEnd;
  exit_code: number | null;
}

export const PASSED: ChecksVerdict = { passed: true, reason: null, rework: false };

const WORDS: Record<Exclude<CheckEnd, 'passed'>, string> = {
  failed: 'failed',
  timed_out: 'ran out of time',
  skipped: 'was skipped',
};

export function judgeChecks(
  { required }: { required: boolean },
  checks: readonly EndedCheck[],
  setup: CheckFinish['setup'],
): ChecksVerdict {
  if (!required) return PASSED;
  if (hasFailed(setup)) return { passed: false, reason: nameSetup(setup), rework: false };
  const bad = checks.filter(({ status }) => status !== 'passed');
  if (bad.length === 0) return PASSED;
  const rework = bad.some(({ status }) => status === 'failed' || status === 'timed_out');
  return { passed: false, reason: bad.map(nameCheck).join('; '), rework };
}

const NEVER_ENDED = 'The checks were begun three times and never ended';

export const judgeNeverEnded = ({ required }: { required: boolean }): ChecksVerdict =>
  required ? { passed: false, reason: NEVER_ENDED, rework: false } : PASSED;

const nameCheck = ({ name, status, exit_code }: EndedCheck): string =>
  `The check ${name} ${WORDS[status as keyof typeof WORDS]}${sayCode(status === 'failed' ? exit_code : null)}`;

const LONGEST_LINE = 300;

export function nameSetup({ exit_code, log_tail }: NonNullable<CheckFinish['setup']>): string {
  const what = exit_code == null ? 'The setup ran out of time' : `The setup failed${sayCode(exit_code)}`;
  const last = log_tail?.trimEnd().split('\n').at(-1)?.trim().slice(0, LONGEST_LINE).toWellFormed();
  return last ? `${what}: ${last}` : what;
}

const sayCode = (code: number | null): string => (code === null ? '' : ` with exit code ${code}`);
