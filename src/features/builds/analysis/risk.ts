import type { ChangeFacts } from '../../../code/diff-analysis/analyze-change.js';
import type { Note, NoteKind } from '../../../code/diff-analysis/notes.js';
import type { DiffStat } from '../builds.schemas.js';
import type { Risk } from '../review.schemas.js';

export interface RiskFacts {
  diff: DiffStat | null;
  change: ChangeFacts;
  notes: readonly Note[];
  /** The changed file with the most dependents. */
  dependents: { path: string; count: number } | null;
  staleLessons: number;
  hasChecks: boolean;
  attempt: number;
  guestWords: boolean;
}

type Reason = Risk['reasons'][number];

const stepOf = (value: number, steps: readonly (readonly [from: number, points: number])[]): number =>
  steps.reduce((points, [from, more]) => (value >= from ? more : points), 0);

const OF_NOTES: Partial<Record<NoteKind, readonly [points: number, reason: string]>> = {
  tests_removed: [20, 'tests are gone'],
  tests_skipped: [20, 'tests are skipped'],
  tests_weakened: [20, 'tests ask for less'],
  checks_changed: [20, 'what is checked is changed'],
  silenced: [10, 'a file is taken out of a check'],
  stub: [15, 'something is not done'],
  no_change: [15, 'nothing is changed'],
  test_aware: [25, 'code asks whether it is being tested'],
  swallowed: [10, 'failures are forgotten'],
  outside: [10, 'files that the task does not ask for'],
  not_read: [20, 'not all of it could be read'],
};

/** Counts each reason once. */
export function judgeRisk(facts: RiskFacts): Risk {
  const reasons: Reason[] = [
    ...ofSize(facts),
    ...ofReach(facts),
    ...ofContent(facts),
    ...ofNotes(facts),
    ...ofBuild(facts),
  ].filter(({ points }) => points > 0);
  const sum = reasons.reduce((total, { points }) => total + points, 0);
  return { score: Math.min(100, sum), reasons: reasons.sort((one, other) => other.points - one.points) };
}

function ofSize({ diff }: RiskFacts): Reason[] {
  if (!diff) return [];
  const lines = diff.insertions + diff.deletions;
  return [
    {
      reason: `${lines} lines are changed`,
      points: stepOf(lines, [
        [50, 5],
        [200, 10],
        [500, 15],
        [1500, 25],
      ]),
    },
    {
      reason: `${diff.files} files are changed`,
      points: stepOf(diff.files, [
        [10, 5],
        [30, 10],
        [100, 15],
      ]),
    },
  ];
}

function ofReach({ dependents, staleLessons }: RiskFacts): Reason[] {
  return [
    {
      reason: `${dependents?.count ?? 0} files depend on ${dependents?.path ?? ''}`,
      points: stepOf(dependents?.count ?? 0, [
        [5, 5],
        [15, 10],
        [50, 20],
      ]),
    },
    {
      reason: staleLessons === 1 ? 'a lesson goes stale' : `${staleLessons} lessons go stale`,
      points: Math.min(15, 5 * staleLessons),
    },
  ];
}

function ofContent({ change }: RiskFacts): Reason[] {
  const { sources, tests, generated, secrets } = change;
  return [
    { reason: 'no test is touched', points: sources > 0 && tests === 0 ? 10 : 0 },
    { reason: 'generated files are changed', points: generated > 0 ? 5 : 0 },
    { reason: 'something looks like a secret', points: secrets > 0 ? 30 : 0 },
  ];
}

function ofNotes({ notes }: RiskFacts): Reason[] {
  const kinds = new Set(notes.map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => {
    const [points, reason] = OF_NOTES[kind] ?? [];
    return points && reason ? [{ reason, points }] : [];
  });
}

function ofBuild({ hasChecks, attempt, guestWords }: RiskFacts): Reason[] {
  return [
    { reason: 'there are no checks', points: hasChecks ? 0 : 10 },
    { reason: `it is attempt ${attempt}`, points: Math.min(15, 5 * (attempt - 1)) },
    { reason: 'its brief holds words of a guest', points: guestWords ? 15 : 0 },
  ];
}
