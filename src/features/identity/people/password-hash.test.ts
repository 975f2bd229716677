import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** In a separate process, because tests replace the hash parameters with cheap ones. */
const program = `
  const { hashNewPassword } = await import(${JSON.stringify(import.meta.resolve('../../../../dist/modules/src/features/identity/people/password-hash.js'))});
  console.log(await hashNewPassword('correct horse battery', { email: 'ada@example.test', full_name: 'Ada' }));
`;

it('passwords are hashed with Argon2id, 19 MiB, two passes and a parallelism of 1', () => {
  const env = { PATH: process.env['PATH'], NODE_ENV: 'test' };
  const options = { encoding: 'utf8', env } as const;
  const kept = execFileSync(process.execPath, ['--input-type=module', '-e', program], options);
  expect(kept).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
