import { describe, expect, it } from 'vitest';
import { canonical, readFilters } from '../../dashboard/src/work/filters.js';

const read = (query: string) => readFilters(new URLSearchParams(query)).filters;

describe('filters in the address of the work page', () => {
  it('are one’s own open work where it says nothing', () => {
    expect(read('')).toEqual({ assignee: 'me', status: 'pending,in_progress,in_review,blocked' });
  });

  it('leave out states that are not known', () => {
    expect(read('status=blocked,gone&assignee=none')).toEqual({ status: 'blocked', assignee: 'none' });
    expect(canonical('status=gone&q=lidar')).toBe('q=lidar');
  });
});
