import type { Build } from '../../client/src/index.js';

export const ENDED = ['succeeded', 'failed', 'canceled', 'timed_out', 'lost'];

const waitOf = ({ waiting_for, waiting_reason, held_until }: Build): string | undefined =>
  waiting_reason ??
  (waiting_for ? `waiting for ${waiting_for}${held_until ? `, held until ${held_until}` : ''}` : undefined);

/** A finished build without a reported cost shows `unknown`, because its cost is not zero. */
const costOf = ({ usage, status }: Build): string | undefined => {
  if (typeof usage?.cost_usd === 'number') return `$${usage.cost_usd.toFixed(2)}`;
  return ENDED.includes(status) ? 'unknown' : undefined;
};

export const buildColumns = [
  { title: 'build', of: (build: Build) => build.build_id },
  { title: 'card', of: (build: Build) => build.ref },
  { title: 'attempt', of: (build: Build) => build.attempt },
  { title: 'status', of: (build: Build) => build.status },
  { title: 'coder', of: (build: Build) => build.profile ?? build.coder },
  {
    title: 'reason',
    of: (build: Build) => waitOf(build) ?? (build.silent ? 'silent' : build.reason),
  },
  { title: 'cost', of: costOf },
  { title: 'queued', of: (build: Build) => build.queued_at },
];

const sayFailedSetup = ({ failed_setup }: Build): string | undefined =>
  failed_setup &&
  [
    failed_setup.exit_code === null ? 'timed out' : `failed (${failed_setup.exit_code})`,
    failed_setup.log_tail?.split('\n').at(-1),
  ]
    .filter(Boolean)
    .join(': ');

/** The branch on the repository host: a rework is pushed to the branch of the open pull request. */
export const branchOf = ({ branch, pushed_branch }: Build): string => pushed_branch ?? branch;

const sayCheck = ({ name, status, exit_code }: Build['checks'][number]): string =>
  `${name} ${status.replace('_', ' ')}${exit_code ? ` (${exit_code})` : ''}`;

export const factsOf = (build: Build): [string, unknown][] => [
  ['build', build.build_id],
  ['card', build.ref],
  ['attempt', build.attempt],
  ['status', build.status],
  ['silent', build.silent ? `since ${build.heard_at}` : undefined],
  ['waiting for', build.waiting_for],
  ['details', build.waiting_reason],
  ['held until', build.held_until],
  ['local', build.local ? `on the machine of ${build.created_by?.name ?? 'a former member'}` : undefined],
  ['reason', build.reason],
  ['checks', build.checks.map(sayCheck).join(', ') || undefined],
  ['setup', sayFailedSetup(build)],
  ['coder', build.coder],
  ['profile', build.profile],
  ['desk', build.workstation_id],
  ['branch', branchOf(build)],
  // A build that continues an attempt starts from that attempt's commit, not from the base branch.
  [
    build.continues ? 'continues' : 'base',
    `${build.continues ? build.continues : build.base_branch} ${build.base_sha.slice(0, 12)}`,
  ],
  ['base branch', build.continues && build.base_branch],
  ['changed', build.diff && `${build.diff.files} files, +${build.diff.insertions} -${build.diff.deletions}`],
  ['cost', costOf(build)],
  ['pushed', build.pushed_at ?? build.push_error],
  ['queued', build.queued_at],
  ['finished', build.finished_at],
];

type Note = NonNullable<Build['gate']>['notes'][number] & { line?: number };

const placeOf = ({ path, line }: Note): string =>
  path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}  `;

export function findingsOf({ gate }: Build): string {
  const notes: Note[] = gate?.notes ?? [];
  if (notes.length === 0) return '';
  return ['Findings:', ...notes.map((note) => `  ${note.kind}  ${placeOf(note)}${note.text}`)].join('\n');
}
