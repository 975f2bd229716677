import { withoutCredentials } from '../../kernel/addresses.js';
import { DAY, secondsFrom } from '../../kernel/clock.js';
import type { Step } from './hires.schemas.js';

export const GRANT_CACHE_SECONDS = 60;

const PERIOD_SECONDS = 30 * DAY;

export type HireStatus = 'provisioning' | 'active' | 'canceled';

export interface Template {
  runtime?: string;
  instructions?: string;
  packages?: string[];
}

export interface Repository {
  url: string;
  branch?: string | null;
}

/** The end of the period that contains `now`; periods renew from the hire. */
export function periodEnd(hiredAt: Date, now: Date): Date {
  const passed = Math.max(0, now.getTime() - hiredAt.getTime());
  const periods = Math.floor(passed / (PERIOD_SECONDS * 1000)) + 1;
  return secondsFrom(hiredAt, periods * PERIOD_SECONDS);
}

export const marketplaceDisableAt = (effectiveAt: Date): Date =>
  secondsFrom(effectiveAt, GRANT_CACHE_SECONDS);

interface Lifetime {
  status: HireStatus;
  cancel_at_period_end: boolean;
  effective_at: Date | null;
}

/** The agent keeps its tools until the hire ends, which is in the future after a period-end cancel. */
export const hasTools = (hire: Lifetime, now: Date): boolean =>
  hire.status === 'active' ||
  (hire.status === 'canceled' && hire.effective_at !== null && now < hire.effective_at);

export const canCancelAtPeriodEnd = (hire: Lifetime): boolean => hire.status !== 'canceled';

export const canCancelNow = (hire: Lifetime, now: Date): boolean =>
  hire.status !== 'canceled' ||
  (hire.cancel_at_period_end && hire.effective_at !== null && now < hire.effective_at);

export const packagesOf = (template: Template): string[] => [...new Set(template.packages ?? [])];

export type DeskRuntime = 'claude_code' | 'codex' | 'custom';

export function deskRuntime(template: Template): DeskRuntime {
  if (template.runtime === undefined || template.runtime === 'claude_code') return 'claude_code';
  return template.runtime === 'codex' ? 'codex' : 'custom';
}

const LONGEST_SLUG = 40;

/** Readable, and unique because it ends with part of the hire's id. */
export function agentIdFor(employeeName: string, hireId: string): string {
  const slug = employeeName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');
  return `${slug || 'employee'}-${hireId.slice(-12)}`;
}

export function shownRepository(
  repository: Repository | null,
): { url: string; branch: string | null } | null {
  if (repository === null) return null;
  return { url: withoutCredentials(repository.url), branch: repository.branch ?? null };
}

// --- build steps -----------------------------------------------------------------------

export const STEP_KEYS = ['agent', 'packages', 'desk', 'workspace'] as const;
export type StepKey = (typeof STEP_KEYS)[number];

interface Build {
  employee_name: string;
  builder: boolean;
  template: Template;
  repository: Repository | null;
  built_at: Date | null;
  failed_step: StepKey | null;
  error: string | null;
}

export const stepsOf = (build: Pick<Build, 'builder'>): StepKey[] =>
  STEP_KEYS.filter((key) => key !== 'desk' || build.builder);

/**
 * A build commits as a whole, so its steps are done together or not at all. After a failure, the failed step
 * has the reason, earlier steps are pending and later ones blocked.
 */
export function describeSteps(build: Build): Step[] {
  const keys = stepsOf(build);
  const failedAt = build.failed_step === null ? -1 : keys.indexOf(build.failed_step);
  return keys.map((key, position) => {
    const state = stateOf(build, position, failedAt);
    return {
      key,
      title: titleOf(key, build),
      state,
      reason: state === 'failed' ? build.error : state === 'blocked' ? `blocked_by:${keys[failedAt]}` : null,
      done: state === 'done',
    };
  });
}

function stateOf(build: Build, position: number, failedAt: number): Step['state'] {
  if (build.built_at) return 'done';
  if (failedAt < 0 || position < failedAt) return 'pending';
  return position === failedAt ? 'failed' : 'blocked';
}

function titleOf(key: StepKey, build: Build): string {
  const packages = packagesOf(build.template).length;
  switch (key) {
    case 'agent':
      return `Register ${build.employee_name}`;
    case 'packages':
      return packages === 1 ? 'Install 1 package' : `Install ${packages} packages`;
    case 'desk': {
      const repository = shownRepository(build.repository);
      return repository ? `Assign a desk for ${repository.url}` : 'Assign a desk';
    }
    case 'workspace':
      return 'Set up the workspace directory and its memory';
  }
}
