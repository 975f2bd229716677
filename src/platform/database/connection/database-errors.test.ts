import { describe, expect, it } from 'vitest';
import { isConnectionFailure, isTransactionConflict } from './database-errors.js';

const fault = (code: string, message = 'words') => Object.assign(new Error(message), { code });

describe('an outage', () => {
  it.each([
    ['25006', 'cannot execute INSERT in a read-only transaction'],
    ['57P01', 'terminating connection due to administrator command'],
    ['57P02', 'terminating connection because of crash of another server process'],
    ['57P03', 'the database system is starting up'],
    ['40001', 'canceling statement due to conflict with recovery'],
    ['40001', 'terminating connection due to conflict with recovery'],
    ['40P01', 'canceling statement due to conflict with recovery'],
    ['57P04', 'database was dropped'],
    ['53300', 'sorry, too many clients already'],
    ['08006', 'connection failure'],
  ])('is %s: %s', (code, message) => {
    expect(isConnectionFailure(fault(code, message))).toBe(true);
  });

  it.each([
    ['23505', 'duplicate key'],
    ['40001', 'could not serialize access due to concurrent update'],
    ['40P01', 'deadlock detected'],
    ['57014', 'canceling statement due to statement timeout'],
    ['ENOENT', 'no such file'],
  ])('is not %s: %s', (code, message) => {
    expect(isConnectionFailure(fault(code, message))).toBe(false);
  });

  it('on a standby is not worth another try at once', () => {
    expect(isTransactionConflict(fault('40001', 'canceling statement due to conflict with recovery'))).toBe(
      false,
    );
    expect(isTransactionConflict(fault('40001', 'could not serialize access'))).toBe(true);
  });
});
