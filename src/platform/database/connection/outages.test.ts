import { expect, it } from 'vitest';
import { translateOutage } from './outages.js';

const failure = (code: string, message = 'as the server says it') =>
  Object.assign(new Error(message), { code });

it.each([
  [
    'the database cannot be reached',
    failure('ECONNREFUSED'),
    'The database is not reachable; try again shortly',
  ],
  ['a deadlock comes again and again', failure('40P01'), 'Others are writing the same; try again shortly'],
  ['writers never find a gap', failure('40001'), 'Others are writing the same; try again shortly'],
])('is 503 with Retry-After when %s', (_, error, detail) => {
  expect(translateOutage(error)).toMatchObject({
    status: 503,
    detail,
    headers: { 'retry-after': '2' },
  });
});

it('leaves alone what no waiting helps', () => {
  expect(translateOutage(failure('23505'))).toBeUndefined();
  expect(translateOutage(new TypeError('a fault of ours'))).toBeUndefined();
});
