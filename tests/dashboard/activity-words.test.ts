import { describe, expect, it } from 'vitest';
import { changesIn, verbOf } from '../../dashboard/src/boards/activity-words.js';
import { FIELD_NAMES, isChangeable } from '../../src/features/boards/cards/card-fields.js';

const to = (value: unknown) => ({ from: null, to: value });

describe('the words of the activity', () => {
  it('say what became of an attempt, and not which fields the service keeps of it', () => {
    const decided = {
      action: 'task.updated',
      changes: {
        build: to({ build_id: 'b', attempt: 2, event: 'build.reworked' }),
        review_state: to('changes_requested'),
      },
    };
    expect(verbOf(decided)).toBe('asked for rework of attempt 2 of');
    expect(changesIn(decided)).toEqual([]);
    const began = {
      action: 'task.moved',
      changes: {
        column: to('Doing'),
        status: to('in_progress'),
        attempt: to(1),
        started_at: to('now'),
        branch: to('b'),
      },
    };
    expect(verbOf(began)).toBe('moved');
    expect(changesIn(began)).toEqual(['attempt 1 began']);
    expect(changesIn({ changes: { completed_at: to('now'), error_code: to('timed_out') } })).toEqual([
      'the attempt ended: timed out',
    ]);
  });

  it('say which file was attached or removed, and nothing after it', () => {
    const attached = { action: 'task.updated', changes: { attachment: to('plan.png') } };
    expect([verbOf(attached), changesIn(attached)]).toEqual(['attached plan.png to', []]);
    const removed = { action: 'task.updated', changes: { attachment: { from: 'plan.png', to: null } } };
    expect([verbOf(removed), changesIn(removed)]).toEqual(['removed plan.png from', []]);
  });

  it('name fields as people do, with the new value where it is short', () => {
    const changes = { priority: to('high'), project_id: to('x'), instructions: to('long') };
    expect(changesIn({ changes })).toEqual(['the priority to high', 'the project', 'the instructions']);
    const due = { due_at: to('2027-03-12T12:00:00Z'), pr_number: to(7), pr_state: to('open') };
    expect(changesIn({ changes: due })).toEqual([
      expect.stringMatching(/^the due day to .*2027/),
      'its pull request #7 was opened',
    ]);
  });

  it('tell what the host says of a pull request as people do', () => {
    const tell = (changes: Record<string, unknown>, from: unknown = null) =>
      changesIn({
        changes: Object.fromEntries(
          Object.entries(changes).map(([name, value]) => [name, { from, to: value }]),
        ),
      });
    expect(tell({ pr_number: 12, pr_url: 'https://x', pr_state: 'draft', checks_state: 'none' })).toEqual([
      'its pull request #12 was opened as a draft',
    ]);
    expect(tell({ pr_state: 'merged', merged_at: 'now', status: 'done', column: 'Done' }, 'x')).toEqual([
      'its pull request was merged',
    ]);
    expect(
      tell({ pr_state: 'closed', status: 'blocked', error_code: 'pr_closed', error_message: 'x' }),
    ).toEqual(['its pull request was closed']);
    expect(tell({ checks_state: 'failing', review_state: 'changes_requested' })).toEqual([
      'the checks are failing',
      'a review asks for changes',
    ]);
    expect(tell({ checks_state: 'none' }, 'pending')).toEqual(['there are no checks']);
    expect(tell({ pr_number: null })).toEqual(['the pull request']);
  });

  it('never are the name of a field, whatever of a card changed', () => {
    for (const field of FIELD_NAMES.filter(isChangeable)) {
      const words = changesIn({ changes: { [field]: to('2027-03-12T12:00:00Z') } }).join();
      expect(words, field).not.toMatch(/_|^(?!the|its|who|what|how|where|whether|an? |$)/);
    }
  });
});
