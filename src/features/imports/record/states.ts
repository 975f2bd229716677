import { STATUSES, type Status } from '../../boards/index.js';

const MEANINGS: Record<Status, readonly string[]> = {
  pending:
    'open opened new todo backlog pending planned triage unstarted ready reopened icebox inbox next ideas later queued'
      .split(' ')
      .concat(
        'to do',
        'not started',
        'up next',
        'selected for development',
        'ready for development',
        'this week',
      ),
  in_progress: ['in progress', 'doing', 'started', 'active', 'in development', 'working', 'wip', 'ongoing'],
  in_review: [
    'in review',
    'review',
    'code review',
    'testing',
    'qa',
    'in testing',
    'ready for review',
    'to review',
  ],
  blocked: ['blocked', 'on hold', 'waiting', 'stuck', 'paused', 'impeded'],
  done: [
    'done',
    'closed',
    'complete',
    'completed',
    'resolved',
    'finished',
    'shipped',
    'merged',
    'released',
    'deployed',
  ],
  canceled: [
    'canceled',
    'cancelled',
    'not planned',
    'wont do',
    'wont fix',
    'wontfix',
    'duplicate',
    'rejected',
    'declined',
    'abandoned',
  ],
};

const KNOWN = new Map<string, Status>(
  STATUSES.flatMap((status) => MEANINGS[status].map((word): [string, Status] => [word, status])),
);

export const stateKey = (state: string): string => state.trim().toLowerCase();
const wordsOf = (state: string): string =>
  stateKey(state)
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

interface Column {
  name: string;
  status: Status;
}

/** Proposes the column with the state's name, else the status the state commonly means, else null. */
export function proposeTarget(state: string, columns: readonly Column[]): string | null {
  const own = columns.find(({ name }) => stateKey(name) === stateKey(state));
  if (own) return own.name;
  const words = wordsOf(state);
  return columns.find(({ name }) => wordsOf(name) === words)?.name ?? KNOWN.get(words) ?? null;
}

export function readTarget(
  name: string,
  columns: readonly Column[],
): { column: string } | { status: Status } | undefined {
  const own = columns.find((column) => stateKey(column.name) === stateKey(name));
  if (own) return { column: own.name };
  const status = STATUSES.find((each) => each === stateKey(name).replace(/[\s-]+/g, '_'));
  return status && { status };
}
