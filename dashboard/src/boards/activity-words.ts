import type { ActivityEntry, Changes } from '../api/boards.js';

type Entry = Pick<ActivityEntry, 'action' | 'changes'>;

/** Duplicates `plainWords` of the display module, which needs a browser. */
const plainWords = (name: string): string => name.replaceAll(/[._]/g, ' ');

const VERBS: Record<ActivityEntry['action'], string> = {
  'task.created': 'created',
  'task.updated': 'changed',
  'task.moved': 'moved',
  'task.commented': 'commented on',
  'task.deleted': 'deleted',
  'board.created': 'created the board',
  'board.updated': 'changed the board',
};

const BUILD_VERBS: Record<string, string> = {
  'build.accepted': 'accepted',
  'build.reworked': 'requested changes to',
  'build.pushed': 'pushed',
  'build.commented': 'commented on',
  'build.comment-changed': 'changed a comment on',
  'build.comment-resolved': 'resolved a comment on',
  'build.comment-reopened': 'reopened a comment on',
  'build.comment-deleted': 'deleted a comment on',
};

interface BuildEvent {
  attempt: number;
  event: string;
}

const buildEventOf = (changes: Changes): BuildEvent | undefined =>
  changes['build']?.to as BuildEvent | undefined;

export function verbOf({ action, changes }: Entry): string {
  const build = buildEventOf(changes);
  const verb = build && BUILD_VERBS[build.event];
  if (verb) return `${verb} attempt ${build.attempt} of`;
  const file = changes['attachment'];
  if (file) return file.to ? `attached ${String(file.to)} to` : `removed ${String(file.from)} from`;
  return VERBS[action];
}

/** Fields of the current attempt; the feed shows one sentence instead of their names. */
const BUILD_FIELDS = new Set([
  'build',
  'attempt',
  'branch',
  'base_branch',
  'environment_id',
  'runtime',
  'queued_at',
  'claimed_at',
  'started_at',
  'completed_at',
  'commit_sha',
  'tokens_in',
  'tokens_out',
  'cost_usd',
  'result',
  'error_code',
  'error_message',
  'last_heartbeat_at',
  'progress_percent',
]);

const FIELD_WORDS: Record<string, string> = {
  title: 'the title',
  instructions: 'the instructions',
  assignee: 'the assignee',
  assignee_agent_id: 'the agent',
  task_type: 'the type',
  priority: 'the priority',
  labels: 'the labels',
  due_at: 'the due date',
  start_at: 'the start date',
  project_id: 'the project',
  parent_id: 'the parent card',
  blocked_by: 'the blocking cards',
  reporter: 'the reporter',
  watchers: 'the watchers',
  position: 'the position',
  agent_context: 'the agent context',
  hire_id: 'the hire',
  max_attempts: 'the number of attempts',
  estimate_points: 'the estimate',
  estimate_minutes: 'the estimate',
  time_spent_minutes: 'the time spent',
  deploy_url: 'the deployment',
  checklist_done: 'the checklist',
  checklist_total: 'the checklist',
  comment_count: 'the comments',
  attachment_count: 'the attachments',
  source: 'the source',
  external_url: 'the external link',
  archived: 'whether it is archived',
  name: 'the name',
  columns: 'the columns',
};

const SHOWN_VALUES: Record<string, (value: string) => string> = {
  priority: (value) => value,
  due_at: (value) => day.format(new Date(value)),
};
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Fields of the pull request; the feed shows sentences instead of their names. */
const PULL_REQUEST_FIELDS = new Set([
  'pr_number',
  'pr_url',
  'pr_state',
  'merged_at',
  'checks_state',
  'review_state',
]);

const PULL_REQUEST_STATES: Record<string, string> = {
  draft: 'is a draft',
  open: 'is open',
  merged: 'was merged',
  closed: 'was closed',
};

const CHECK_STATES: Record<string, string> = {
  pending: 'the checks are running',
  passing: 'the checks are passing',
  failing: 'the checks are failing',
  none: 'there are no checks',
};

const REVIEW_STATES: Record<string, string> = {
  none: 'the review was reset',
  requested: 'a review was requested',
  changes_requested: 'a reviewer requested changes',
  approved: 'a reviewer approved it',
};

function describePullRequest(changes: Changes): string[] {
  if (buildEventOf(changes)) return [];
  const to = (field: string) => (changes[field]?.to == null ? undefined : String(changes[field].to));
  const sentences: string[] = [];
  const number = to('pr_number');
  const state = to('pr_state');
  if (number && (!state || state === 'open' || state === 'draft'))
    sentences.push(`its pull request #${number} was opened${state === 'draft' ? ' as a draft' : ''}`);
  else if (state)
    sentences.push(
      `its pull request ${number ? `#${number} ` : ''}${PULL_REQUEST_STATES[state] ?? `is ${plainWords(state)}`}`,
    );
  else if (['pr_number', 'pr_url', 'pr_state', 'merged_at'].some((field) => field in changes))
    sentences.push('the pull request');
  const checks = to('checks_state');
  if (checks && (checks !== 'none' || changes['checks_state']?.from))
    sentences.push(CHECK_STATES[checks] ?? `the checks are ${plainWords(checks)}`);
  const review = to('review_state');
  if (review && (review !== 'none' || changes['review_state']?.from))
    sentences.push(REVIEW_STATES[review] ?? `the review is ${plainWords(review)}`);
  return sentences;
}

export const changesPullRequest = ({ changes }: Pick<Entry, 'changes'>): boolean =>
  describePullRequest(changes).length > 0;

/** Empty when the verb already describes the change. */
export function changesIn({ changes }: Pick<Entry, 'changes'>): string[] {
  const fields = Object.keys(changes).filter(
    (field) =>
      !['column', 'status', 'attachment'].includes(field) &&
      !BUILD_FIELDS.has(field) &&
      !PULL_REQUEST_FIELDS.has(field),
  );
  const words = fields.map((field) => {
    const name = FIELD_WORDS[field] ?? plainWords(field);
    const to = changes[field]?.to;
    const show = SHOWN_VALUES[field];
    return show && to ? `${name} to ${show(String(to))}` : name;
  });
  return [...new Set(words), ...describePullRequest(changes), ...describeAttempt(changes)];
}

function describeAttempt(changes: Changes): string[] {
  if (buildEventOf(changes)) return [];
  if (changes['error_code']?.to === 'pr_closed') return [];
  if (changes['error_code']?.to)
    return [`the attempt ended: ${plainWords(String(changes['error_code'].to))}`];
  if (changes['completed_at']?.to && !changes['pr_state']) return ['the attempt finished'];
  if (changes['started_at']?.to)
    return [changes['attempt']?.to ? `attempt ${changes['attempt'].to} started` : 'an attempt started'];
  return [];
}
