import { describe, expect, it } from 'vitest';
import { canonical, readFilters } from '../../dashboard/src/work/filters.js';

const read = (query: string) => readFilters(new URLSearchParams(query)).filters;

describe('Filters in the URL of the work page', () => {
  it("default to the user's own open work", () => {
    expect(read('')).toEqual({ assignee: 'me', status: 'pending,in_progress,in_review,blocked' });
  });

  it('drop unknown states', () => {
    expect(read('status=blocked,gone&assignee=none')).toEqual({ status: 'blocked', assignee: 'none' });
    expect(canonical('status=gone&q=lidar')).toBe('q=lidar');
  });
});
