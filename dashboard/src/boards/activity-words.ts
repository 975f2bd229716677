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
  return VERBS[action] ?? plainWords(action);
}

/** What the service keeps of an attempt on its card: one sentence says it, not their names. */
const OF_BUILDS = new Set([
  'build',
  'review_state',
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
  agent: 'its agent',
  agent_id: 'its agent',
  priority: 'the priority',
  labels: 'the labels',
  due_date: 'the due day',
  project_id: 'the project',
  parent_id: 'the card above it',
  position: 'its place',
  agent_context: 'what agents are told',
};

/** Whose new value is short and says it all. */
const TELLING = new Set(['priority', 'due_date']);

/** What changed, in words; nothing where the verb has said it. */
export function changesIn({ changes }: Pick<Told, 'changes'>): string[] {
  const fields = Object.keys(changes).filter(
    (field) => field !== 'column' && field !== 'status' && !OF_BUILDS.has(field),
  );
  const words = fields.map((field) => {
    const name = FIELD_WORDS[field] ?? plainWords(field);
    const to = changes[field]?.to;
    return TELLING.has(field) && to ? `${name} to ${String(to)}` : name;
  });
  return [...words, ...attemptIn(changes)];
}

function attemptIn(changes: Changes): string[] {
  if (toldBuild(changes)) return [];
  if (changes['error_code']?.to)
    return [`the attempt ended: ${plainWords(String(changes['error_code'].to))}`];
  if (changes['completed_at']?.to) return ['the attempt is done'];
  if (changes['started_at']?.to)
    return [changes['attempt']?.to ? `attempt ${changes['attempt'].to} began` : 'an attempt began'];
  return [];
}
