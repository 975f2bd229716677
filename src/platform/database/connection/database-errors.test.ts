import { describe, expect, it } from 'vitest';
import { isConnectionFailure, isTransactionConflict, translateOutage } from './database-errors.js';

const fault = (code: string, message = 'words') => Object.assign(new Error(message), { code });

describe('A connection failure', () => {
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
  ])('includes %s: %s', (code, message) => {
    expect(isConnectionFailure(fault(code, message))).toBe(true);
  });

  it.each([
    ['23505', 'duplicate key'],
    ['40001', 'could not serialize access due to concurrent update'],
    ['40P01', 'deadlock detected'],
    ['57014', 'canceling statement due to statement timeout'],
    ['ENOENT', 'no such file'],
  ])('excludes %s: %s', (code, message) => {
    expect(isConnectionFailure(fault(code, message))).toBe(false);
  });

  it('on a standby is not a retryable transaction conflict', () => {
    expect(isTransactionConflict(fault('40001', 'canceling statement due to conflict with recovery'))).toBe(
      false,
    );
    expect(isTransactionConflict(fault('40001', 'could not serialize access'))).toBe(true);
  });
});

const failure = (code: string, message = 'as the server says it') =>
  Object.assign(new Error(message), { code });

it.each([
  [
    'the database cannot be reached',
    failure('ECONNREFUSED'),
    'The database is not reachable; try again shortly',
  ],
  ['a deadlock repeats', failure('40P01'), 'Others are writing the same; try again shortly'],
  ['writers never get the lock', failure('40001'), 'Others are writing the same; try again shortly'],
])('returns 503 with Retry-After when %s', (_, error, detail) => {
  expect(translateOutage(error)).toMatchObject({
    status: 503,
    detail,
    headers: { 'retry-after': '2' },
  });
});

it('returns no outage for errors that waiting does not resolve', () => {
  expect(translateOutage(failure('23505'))).toBeUndefined();
  expect(translateOutage(new TypeError('a fault of ours'))).toBeUndefined();
});
