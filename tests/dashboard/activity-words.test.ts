import { describe, expect, it } from 'vitest';
import { changesIn, verbOf } from '../../dashboard/src/boards/activity-words.js';

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

  it('name fields as people do, with the new value where it is short', () => {
    const changes = { priority: to('high'), project_id: to('x'), instructions: to('long') };
    expect(changesIn({ changes })).toEqual(['the priority to high', 'the project', 'the instructions']);
  });
});
