import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.js';

/**
 * The state of the simulated host outside its git repositories; plain data, so that it can be saved as JSON.
 */
export interface HostState {
  lastId: number;
  repositories: HostedRepository[];
}

export interface HostedRepository {
  id: number;
  /** `owner/name` */
  name: string;
  /** Path of a bare git repository. */
  path: string;
  defaultBranch: string;
  createdAt: string;
  /** Issues and pull requests share one sequence of numbers. */
  lastNumber: number;
  pulls: HostedPull[];
  issues: HostedIssue[];
  checks: HostedCheck[];
  deployments: HostedDeployment[];
}

export interface HostedPull {
  id: number;
  number: number;
  title: string;
  body: string;
  author: string;
  branch: string;
  base: string;
  headSha: string;
  baseSha: string;
  state: 'open' | 'closed';
  draft: boolean;
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  mergedAt: string | null;
  mergeSha: string | null;
  requested: string[];
  reviews: HostedReview[];
  comments: HostedLineComment[];
}

export const REVIEW_WORDS = ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED'] as const;

export interface HostedReview {
  id: number;
  author: string;
  state: (typeof REVIEW_WORDS)[number];
  body: string;
  sha: string;
  at: string;
}

export interface HostedLineComment {
  id: number;
  reviewId: number;
  author: string;
  path: string;
  line: number | null;
  body: string;
  sha: string;
  at: string;
}

export interface HostedIssue {
  id: number;
  number: number;
  title: string;
  body: string;
  author: string;
  labels: string[];
  state: 'open' | 'closed';
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  comments: HostedComment[];
}

export interface HostedComment {
  id: number;
  author: string;
  body: string;
  at: string;
}

export interface HostedCheck {
  id: number;
  sha: string;
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  summary: string | null;
  log: string;
  startedAt: string;
  completedAt: string | null;
}

export interface HostedDeployment {
  id: number;
  sha: string;
  url: string;
  at: string;
}

export interface RepositoryPlace {
  name: string;
  path: string;
  defaultBranch: string;
}

/** Loads the saved state or creates a new one; `keep` must be called after every change. */
export function openState(places: readonly RepositoryPlace[], clock: Clock, folder: string | undefined) {
  const file = folder === undefined ? undefined : join(folder, 'simulated-host.json');
  const state = (file === undefined ? undefined : readState(file)) ?? { lastId: 1000, repositories: [] };
  for (const place of places) {
    const known = state.repositories.find(({ name }) => name === place.name);
    if (known) Object.assign(known, place);
    else
      state.repositories.push({
        id: ++state.lastId,
        ...place,
        createdAt: clock.now().toISOString(),
        lastNumber: 0,
        pulls: [],
        issues: [],
        checks: [],
        deployments: [],
      });
  }
  return {
    state,
    keep() {
      if (folder === undefined || file === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(state));
      renameSync(`${file}.new`, file);
    },
  };
}

function readState(file: string): HostState | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as HostState;
  } catch {
    return undefined;
  }
}
