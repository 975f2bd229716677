/** The names of a card's fields, in the order in which every answer shows them. */
export const STANDARD_FIELDS = [
  'id',
  'ref',
  'number',
  'board_id',
  'board',
  'brand_id',
  'project_id',
  'title',
  'task_type',
  'status',
  'column',
  'position',
  'priority',
  'labels',
  'assignee',
  'assignee_agent_id',
  'reporter',
  'watchers',
  'parent_id',
  'child_ids',
  'blocked_by',
  'blocks',
  'description_excerpt',
  'due_at',
  'start_at',
  'estimate_points',
  'estimate_minutes',
  'time_spent_minutes',
  'agent_context',
  'environment_id',
  'runtime',
  'hire_id',
  'attempt',
  'max_attempts',
  'queued_at',
  'claimed_at',
  'started_at',
  'completed_at',
  'last_heartbeat_at',
  'progress_percent',
  'branch',
  'base_branch',
  'commit_sha',
  'pr_number',
  'pr_url',
  'pr_state',
  'checks_state',
  'review_state',
  'merged_at',
  'deploy_url',
  'cost_usd',
  'tokens_in',
  'tokens_out',
  'error_code',
  'error_message',
  'comment_count',
  'attachment_count',
  'checklist_done',
  'checklist_total',
  'source',
  'external_url',
  'archived',
  'created_at',
  'updated_at',
  'version',
] as const;

export const BODY_FIELDS = ['instructions', 'result'] as const;

export const FULL_FIELDS = [...STANDARD_FIELDS, ...BODY_FIELDS] as const;

export const SUMMARY_FIELDS = [
  'id',
  'ref',
  'title',
  'status',
  'column',
  'assignee',
  'branch',
  'pr_number',
  'pr_url',
  'pr_state',
  'checks_state',
] as const;

export const DETAIL_LEVELS = ['summary', 'standard', 'full'] as const;
export type DetailLevel = (typeof DETAIL_LEVELS)[number];

export const STATUSES = ['pending', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const;
export type Status = (typeof STATUSES)[number];

export const BOARD_TYPES = ['build', 'crm', 'general'] as const;
export type BoardType = (typeof BOARD_TYPES)[number];

export const TASK_TYPES = ['coding', 'docs', 'research', 'design', 'test'] as const;

const EXCERPT_CHARACTERS = 200;

/** The beginning of a long text; whole characters, so that no pair of surrogates is cut in two. */
export function excerptOf(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.length <= EXCERPT_CHARACTERS) return text;
  // Two code units a character at most, so this slice is long enough and stays cheap for a text of a mebibyte.
  return [...text.slice(0, EXCERPT_CHARACTERS * 2)].slice(0, EXCERPT_CHARACTERS).join('');
}
