import type { Plan } from './access.js';

export const FEATURES = ['skills', 'feed', 'machines', 'crm'] as const;
export type Feature = (typeof FEATURES)[number];

export const CODERS = ['claude', 'codex', 'openhands', 'opencode', 'pi'] as const;
export type Coder = (typeof CODERS)[number];

export interface PlanTerms {
  included: readonly Feature[];
  onByDefault: readonly Feature[];
  workstations: number;
  sources: number;
  /** Builds that wait or run at once, and those that are begun within a day. */
  openBuilds: number;
  buildsPerDay: number;
  webhooks: number;
  projects: number;
  /** What all files on cards may have together. */
  attachmentBytes: number;
  coders: readonly Coder[];
}

const GIGABYTE = 1024 ** 3;

/** What each plan includes; a limit is the largest allowed count. */
export const PLAN_TERMS: Record<Plan, PlanTerms> = {
  free: {
    included: ['skills', 'feed'],
    onByDefault: ['skills', 'feed'],
    workstations: 1,
    sources: 2,
    openBuilds: 1,
    buildsPerDay: 20,
    webhooks: 1,
    projects: 20,
    attachmentBytes: GIGABYTE,
    coders: ['claude', 'codex'],
  },
  team: {
    included: ['skills', 'feed', 'machines'],
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 5,
    sources: 10,
    openBuilds: 5,
    buildsPerDay: 200,
    webhooks: 5,
    projects: 100,
    attachmentBytes: 20 * GIGABYTE,
    coders: CODERS,
  },
  business: {
    included: FEATURES,
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 25,
    sources: 50,
    openBuilds: 25,
    buildsPerDay: 2000,
    webhooks: 20,
    projects: 400,
    attachmentBytes: 200 * GIGABYTE,
    coders: CODERS,
  },
  enterprise: {
    included: FEATURES,
    onByDefault: ['skills', 'feed', 'machines'],
    workstations: 250,
    sources: 500,
    openBuilds: 250,
    buildsPerDay: 20_000,
    webhooks: 100,
    projects: 1000,
    attachmentBytes: 2000 * GIGABYTE,
    coders: CODERS,
  },
};
