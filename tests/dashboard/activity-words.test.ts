import { describe, expect, it } from 'vitest';
import { changesIn, verbOf } from '../../dashboard/src/boards/activity-words.js';
import { FIELD_NAMES, isChangeable } from '../../src/features/boards/cards/card-fields.js';

const to = (value: unknown) => ({ from: null, to: value });

describe('Activity entries', () => {
  it("describe an attempt's result instead of its fields", () => {
    const decided = {
      action: 'task.updated' as const,
      changes: {
        build: to({ build_id: 'b', attempt: 2, event: 'build.reworked' }),
        review_state: to('changes_requested'),
      },
    };
    expect(verbOf(decided)).toBe('requested changes to attempt 2 of');
    expect(changesIn(decided)).toEqual([]);
    const started = {
      action: 'task.moved' as const,
      changes: {
        column: to('Doing'),
        status: to('in_progress'),
        attempt: to(1),
        started_at: to('now'),
        branch: to('b'),
      },
    };
    expect(verbOf(started)).toBe('moved');
    expect(changesIn(started)).toEqual(['attempt 1 started']);
    expect(changesIn({ changes: { completed_at: to('now'), error_code: to('timed_out') } })).toEqual([
      'the attempt ended: timed out',
    ]);
  });

  it('name the attached or removed file', () => {
    const attached = { action: 'task.updated' as const, changes: { attachment: to('plan.png') } };
    expect([verbOf(attached), changesIn(attached)]).toEqual(['attached plan.png to', []]);
    const removed = {
      action: 'task.updated' as const,
      changes: { attachment: { from: 'plan.png', to: null } },
    };
    expect([verbOf(removed), changesIn(removed)]).toEqual(['removed plan.png from', []]);
  });

  it('name changed fields, with the new value if it is short', () => {
    const changes = { priority: to('high'), project_id: to('x'), instructions: to('long') };
    expect(changesIn({ changes })).toEqual(['the priority to high', 'the project', 'the instructions']);
    const due = { due_at: to('2027-03-12T12:00:00Z'), pr_number: to(7), pr_state: to('open') };
    expect(changesIn({ changes: due })).toEqual([
      expect.stringMatching(/^the due date to .*2027/),
      'its pull request #7 was opened',
    ]);
  });

  it('describe pull request changes in sentences', () => {
    const describeChanges = (changes: Record<string, unknown>, from: unknown = null) =>
      changesIn({
        changes: Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [name, { from, to: value }]),
        ),
      });
    expect(
      describeChanges({ pr_number: 12, pr_url: 'https://x', pr_state: 'draft', checks_state: 'none' }),
    ).toEqual(['its pull request #12 was opened as a draft']);
    expect(
      describeChanges({ pr_state: 'merged', merged_at: 'now', status: 'done', column: 'Done' }, 'x'),
    ).toEqual(['its pull request was merged']);
    expect(
      describeChanges({ pr_state: 'closed', status: 'blocked', error_code: 'pr_closed', error_message: 'x' }),
    ).toEqual(['its pull request was closed']);
    expect(describeChanges({ checks_state: 'failing', review_state: 'changes_requested' })).toEqual([
      'the checks are failing',
      'a reviewer requested changes',
    ]);
    expect(describeChanges({ checks_state: 'none' }, 'pending')).toEqual(['there are no checks']);
    expect(describeChanges({ pr_number: null })).toEqual(['the pull request']);
  });

  it('never show a raw field name', () => {
    for (const field of FIELD_NAMES.filter(isChangeable)) {
      const words = changesIn({ changes: { [field]: to('2027-03-12T12:00:00Z') } }).join();
      expect(words, field).not.toMatch(/_|^(?!the|its|who|what|how|where|whether|an? |$)/);
    }
  });
});
