import { describe, expect, it } from 'vitest';
import type { Build, BuildCheck } from '../../dashboard/src/api/builds.js';
import { describeHostFeedback, explain } from '../../dashboard/src/builds/build-words.js';
import {
  noteWords,
  shownStatus,
  tellChecks,
  tellCoder,
  tellNotes,
  tellPerson,
  tellReader,
} from '../../dashboard/src/builds/gate/gate-words.js';
import { draftOf, policyOf } from '../../dashboard/src/settings/policy-draft.js';
import { dayIn, daysBetween, readDay } from '../../dashboard/src/spend/days.js';
import { readRange, usualRanges } from '../../dashboard/src/spend/ranges.js';
import { formatCents } from '../../dashboard/src/spend/spend-words.js';
import { findSpent } from '../../dashboard/src/spend/stands.js';

const check = (name: string, status: BuildCheck['status']): BuildCheck => ({
  name,
  status,
  seconds: null,
  exit_code: null,
  log_tail: null,
});
const build = (fields: Partial<Build>): Build =>
  ({ status: 'succeeded', checks: [], reason: null, review: null, reviews: [], ...fields }) as Build;
const [passed, failed, skipped, pending] = (['passed', 'failed', 'skipped', 'pending'] as const).map(
  (status) => check(status, status),
) as [BuildCheck, BuildCheck, BuildCheck, BuildCheck];

describe('Checks step', () => {
  it.each([
    ['before the coder is done', { status: 'running' }, 'ahead', /coder finishes/],
    ['without checks', { checks: [] }, 'none', /no checks/],
    ['while they run', { status: 'checking', checks: [passed, pending] }, 'now', /^1 of 2 finished/],
    ['all passed', { checks: [passed, passed] }, 'done', /^All 2 passed/],
    ['all passed, for a reader', { status: 'checking', checks: [passed] }, 'done', /^Passed/],
    ['one failed', { status: 'failed', checks: [passed, failed] }, 'bad', /^1 of 2 passed$/],
    ['not required', { checks: [passed, failed] }, 'warn', /optional/],
    ['setup failed', { status: 'failed', checks: [skipped], reason: 'The setup failed' }, 'bad', /Setup/],
    [
      'unfinished',
      {
        status: 'failed',
        checks: [skipped],
        reason: 'The checks were begun three times and never ended',
      },
      'bad',
      /three times/,
    ],
    ['canceled meanwhile', { status: 'canceled', checks: [passed, pending] }, 'none', /^1 of 2 passed$/],
  ] as const)('%s', (_, fields, state, words) => {
    expect(tellChecks(build(fields as Partial<Build>))).toEqual({
      state,
      words: expect.stringMatching(words),
    });
  });

  it('shows an unfinished check as "never ended" once its build is over', () => {
    const over = build({ status: 'failed', reason: 'The checks were begun three times and never ended' });
    expect(shownStatus(skipped, over)).toBe('never_ended');
    expect(shownStatus(pending, over)).toBe('never_ended');
    expect(shownStatus(skipped, build({ status: 'failed', reason: 'The setup failed' }))).toBe('skipped');
    expect(shownStatus(pending, build({ status: 'checking' }))).toBe('pending');
  });
});

describe('Other review steps', () => {
  it('show the coder as working, stalled, finished or failed', () => {
    expect(tellCoder(build({ status: 'running' })).state).toBe('now');
    expect(tellCoder(build({ status: 'running', stalled: true })).state).toBe('warn');
    expect(tellCoder(build({ status: 'failed', checks: [failed] })).state).toBe('done');
    expect(tellCoder(build({ status: 'failed' })).state).toBe('bad');
    expect(tellCoder(build({ status: 'canceled' })).state).toBe('none');
  });

  it('show pending notes, no notes, or their number', () => {
    expect(tellNotes(build({ status: 'checking', gate: null })).state).toBe('ahead');
    expect(tellNotes(build({ gate: null })).state).toBe('none');
    expect(tellNotes(build({ gate: { notes: [] } })).state).toBe('done');
    const notes = [{ kind: 'stub' as const, text: 'It throws' }];
    expect(tellNotes(build({ gate: { notes } }))).toEqual({
      state: 'warn',
      words: '1 finding',
    });
    expect([noteWords('tests_skipped'), noteWords('of_a_new_kind')]).toEqual([
      'Tests skipped',
      'Of a new kind',
    ]);
  });

  it('show the verdict of the latest review by a coder', () => {
    const of = (status: Build['status'], ...verdicts: ('pass' | 'concerns' | 'fail' | null)[]) =>
      tellReader(build({ status, reviews: verdicts.map((verdict, at) => ({ build_id: `${at}`, verdict })) }))
        .state;
    expect(of('checking')).toBe('ahead');
    expect(of('checking', null)).toBe('now');
    expect(of('succeeded')).toBe('none');
    expect(of('succeeded', null)).toBe('none');
    expect(of('succeeded', 'fail', 'pass')).toBe('done');
    expect(of('succeeded', 'concerns')).toBe('warn');
    expect(of('failed', 'fail')).toBe('bad');
  });

  it('show the person as waiting, accepted, sent back or not reached', () => {
    const review = (decision: 'accept' | 'rework') =>
      ({ decision, by: { name: 'Ada' } }) as NonNullable<Build['review']>;
    expect(tellPerson(build({})).state).toBe('now');
    expect(tellPerson(build({ review: review('accept') }))).toEqual({
      state: 'done',
      words: 'Accepted by Ada',
    });
    expect(tellPerson(build({ review: review('rework') })).words).toBe('Sent back by Ada');
    expect(tellPerson(build({ status: 'failed' })).state).toBe('none');
    expect(tellPerson(build({ status: 'checking' })).state).toBe('ahead');
  });

  it('explain which check or reviewer a checking build waits for', () => {
    const of = (checks: BuildCheck[], reviews: Build['reviews'] = []) =>
      explain(build({ status: 'checking', checks, reviews }));
    expect(of([pending])).toMatch(/wait for a desk/);
    expect(of([passed, check('lint', 'running')])).toBe('The check lint runs, 1 of 2 finished');
    expect(of([passed, pending])).toBe('1 of 2 checks finished');
    expect(of([passed], [{ build_id: '1', verdict: null }])).toMatch(/reviewer reads/);
  });
});

describe('Automatic attempt', () => {
  it('names the problems that the host reported', () => {
    expect(describeHostFeedback({})).toBeUndefined();
    expect(describeHostFeedback({ rework_of: [] })).toBeUndefined();
    expect(describeHostFeedback({ rework_of: ['checks', 'conflict'] })).toBe(
      'Started automatically: checks of its pull request failed, and its pull request could not be merged',
    );
  });
});

describe('Policy form', () => {
  const policy = {
    enabled: true,
    max_open: null,
    max_per_day: 5,
    max_minutes: null,
    rework: { on_gate: false, on_checks: true, on_changes_requested: false, on_conflict: true },
    stall_minutes: 20,
    question_hours: 72,
    reviewer: null,
    budget: { build_usd: null, card_usd: 0, day_usd: 2.5, month_usd: null },
  };

  it('converts a policy to form fields and back without changes', () => {
    expect(policyOf(draftOf(policy))).toEqual(policy);
  });

  it('keeps the reviewer of a policy, or its absence', () => {
    const reviewer = { profile: 'codex.review', on: 'risky', same_family: true } as const;
    expect(policyOf(draftOf({ ...policy, reviewer }))).toEqual({ ...policy, reviewer });
    expect(policyOf(draftOf({ ...policy, reviewer: null }))).toEqual({ ...policy, reviewer: null });
  });
});

describe('Days and amounts', () => {
  it("uses the workspace's time zone for days, wherever the user is", () => {
    const night = new Date('2026-11-16T23:30:00Z');
    expect(dayIn('UTC', night)).toBe('2026-11-16');
    expect(dayIn('Europe/Stockholm', night)).toBe('2026-11-17');
    expect(dayIn('Mars/Olympus', night)).toBe('2026-11-16');
    expect([readDay('2026-02-29'), readDay('2028-02-29'), readDay('x')]).toEqual([
      undefined,
      '2028-02-29',
      undefined,
    ]);
  });

  it('lists every day, also across a month and a clock change', () => {
    expect(daysBetween('2026-10-24', '2026-11-02')).toHaveLength(10);
    expect(daysBetween('2026-11-16', '2026-11-16')).toEqual(['2026-11-16']);
    expect(daysBetween('2026-11-16', '2026-11-15')).toEqual([]);
  });

  it('defaults to the month so far', () => {
    expect(readRange(new URLSearchParams(), '2026-03-16')).toEqual({ from: '2026-03-01', to: '2026-03-16' });
    expect(readRange(new URLSearchParams('to=2026-01-31'), '2026-03-16').from).toBe('2026-01-01');
    expect(usualRanges('2026-03-16')[1]?.range).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  });

  it('formats amounts to the cent', () => {
    expect([0, 0.005, 1.234, 1234.5].map(formatCents)).toEqual(['$0.00', '$0.01', '$1.23', '$1,234.50']);
  });

  it('counts a budget as spent when exactly nothing is left', () => {
    const stands = [
      { name: 'a', budget: 1, spent: 0.99 },
      { name: 'b', budget: 1, spent: 1 },
      { name: 'c', budget: 0, spent: 0 },
    ];
    expect(findSpent(stands).map(({ name }) => name)).toEqual(['b', 'c']);
  });
});
