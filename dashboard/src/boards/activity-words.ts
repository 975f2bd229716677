import type { Changes } from '../api/boards.js';

interface Told {
  action: string;
  changes: Changes;
}

/** As `plainWords` of the display says it; this part is read without a page too. */
const plainWords = (name: string): string => name.replaceAll(/[._]/g, ' ');

const VERBS: Record<string, string> = {
  'task.created': 'made',
  'task.updated': 'changed',
  'task.moved': 'moved',
  'task.commented': 'commented on',
  'task.deleted': 'deleted',
  'board.created': 'made the board',
  'board.updated': 'changed the board',
};

/** What was done to an attempt at the card. */
const BUILD_VERBS: Record<string, string> = {
  'build.accepted': 'accepted',
  'build.reworked': 'asked for rework of',
  'build.pushed': 'pushed',
  'build.commented': 'commented on',
  'build.comment-changed': 'changed a comment on',
  'build.comment-resolved': 'resolved a comment on',
  'build.comment-reopened': 'reopened a comment on',
  'build.comment-deleted': 'deleted a comment on',
};

interface ToldBuild {
  attempt: number;
  event: string;
}

const toldBuild = (changes: Changes): ToldBuild | undefined => changes['build']?.to as ToldBuild | undefined;

export function verbOf({ action, changes }: Told): string {
  const build = toldBuild(changes);
  const deed = build && BUILD_VERBS[build.event];
  if (deed) return `${deed} attempt ${build.attempt} of`;
  const file = changes['attachment'];
  if (file) return file.to ? `attached ${String(file.to)} to` : `removed ${String(file.from)} from`;
  return VERBS[action] ?? plainWords(action);
}

/** What the service keeps of an attempt on its card: one sentence says it, not their names. */
const OF_BUILDS = new Set([
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
  assignee: 'who has it',
  assignee_agent_id: 'its agent',
  task_type: 'what kind of work it is',
  priority: 'the priority',
  labels: 'the labels',
  due_at: 'the due day',
  start_at: 'the day it begins',
  project_id: 'the project',
  parent_id: 'the card above it',
  blocked_by: 'what it waits for',
  reporter: 'who asked for it',
  watchers: 'who watches it',
  position: 'its place',
  agent_context: 'what agents are told',
  hire_id: 'its agent',
  max_attempts: 'how often it is tried',
  estimate_points: 'the estimate',
  estimate_minutes: 'the estimate',
  time_spent_minutes: 'the time spent',
  deploy_url: 'where it is deployed',
  checklist_done: 'the checklist',
  checklist_total: 'the checklist',
  comment_count: 'the comments',
  attachment_count: 'the attachments',
  source: 'where it comes from',
  external_url: 'where it comes from',
  archived: 'whether it is archived',
  name: 'the name',
  columns: 'the columns',
};

/** Whose new value is short and says it all. */
const TELLING: Record<string, (value: string) => string> = {
  priority: (value) => value,
  due_at: (value) => day.format(new Date(value)),
};
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** What the host says of the pull request: sentences of `pullIn` tell them, not their names. */
const OF_PULLS = new Set(['pr_number', 'pr_url', 'pr_state', 'merged_at', 'checks_state', 'review_state']);

const PULL_DEEDS: Record<string, string> = {
  draft: 'is a draft',
  open: 'is open',
  merged: 'was merged',
  closed: 'was closed',
};

const CHECK_DEEDS: Record<string, string> = {
  pending: 'the checks run',
  passing: 'the checks are passing',
  failing: 'the checks are failing',
  none: 'there are no checks',
};

const REVIEW_DEEDS: Record<string, string> = {
  none: 'the review is open again',
  requested: 'a review was requested',
  changes_requested: 'a review asks for changes',
  approved: 'a review approved it',
};

/** What became of the card's pull request, a sentence each. */
function pullIn(changes: Changes): string[] {
  if (toldBuild(changes)) return [];
  const to = (field: string) => (changes[field]?.to == null ? undefined : String(changes[field].to));
  const told: string[] = [];
  const number = to('pr_number');
  const state = to('pr_state');
  if (number && (!state || state === 'open' || state === 'draft'))
    told.push(`its pull request #${number} was opened${state === 'draft' ? ' as a draft' : ''}`);
  else if (state)
    told.push(
      `its pull request ${number ? `#${number} ` : ''}${PULL_DEEDS[state] ?? `is ${plainWords(state)}`}`,
    );
  else if (['pr_number', 'pr_url', 'pr_state', 'merged_at'].some((field) => field in changes))
    told.push('the pull request');
  const checks = to('checks_state');
  if (checks && (checks !== 'none' || changes['checks_state']?.from))
    told.push(CHECK_DEEDS[checks] ?? `the checks are ${plainWords(checks)}`);
  const review = to('review_state');
  if (review && (review !== 'none' || changes['review_state']?.from))
    told.push(REVIEW_DEEDS[review] ?? `the review is ${plainWords(review)}`);
  return told;
}

/** Whether what changed is a sentence, and not the name of something. */
export const tellsPull = ({ changes }: Pick<Told, 'changes'>): boolean => pullIn(changes).length > 0;

/** What changed, in words; nothing where the verb has said it. */
export function changesIn({ changes }: Pick<Told, 'changes'>): string[] {
  const fields = Object.keys(changes).filter(
    (field) =>
      !['column', 'status', 'attachment'].includes(field) && !OF_BUILDS.has(field) && !OF_PULLS.has(field),
  );
  const words = fields.map((field) => {
    const name = FIELD_WORDS[field] ?? plainWords(field);
    const to = changes[field]?.to;
    const tell = TELLING[field];
    return tell && to ? `${name} to ${tell(String(to))}` : name;
  });
  return [...new Set(words), ...pullIn(changes), ...attemptIn(changes)];
}

function attemptIn(changes: Changes): string[] {
  if (toldBuild(changes)) return [];
  if (changes['error_code']?.to === 'pr_closed') return [];
  if (changes['error_code']?.to)
    return [`the attempt ended: ${plainWords(String(changes['error_code'].to))}`];
  if (changes['completed_at']?.to && !changes['pr_state']) return ['the attempt is done'];
  if (changes['started_at']?.to)
    return [changes['attempt']?.to ? `attempt ${changes['attempt'].to} began` : 'an attempt began'];
  return [];
}
