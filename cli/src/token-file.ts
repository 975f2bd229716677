import { rmSync, writeFileSync } from 'node:fs';
import { misuse } from './failure.js';
import type { Options } from './options.js';

export const TOKEN_OPTIONS: [string, string][] = [
  ['--to <file>', 'The file to write the token to; an existing file is not overwritten'],
  ['--scope <scope>...', 'A scope: brand:read, brand:admin, memory:read, memory:write or code:read'],
  ['--agent <agent>', 'The agent that uses the token on behalf of the person'],
  ['--expires <time>', 'The expiry time, such as 2027-01-01T00:00:00Z'],
];

/** Writes a new token to a file that only its owner can read, and returns the path and the other fields. */
export async function keepToken<Made extends { token: string }>(
  options: Options,
  make: () => Promise<Made>,
): Promise<{ made: Omit<Made, 'token'>; file: string }> {
  const file = options.text('to');
  if (file === undefined)
    throw misuse('Missing --to', 'A token is written to a file and never printed. Pass --to <file>.');
  // Creates the file before the token, so that an unwritable path fails without creating a token.
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  const { token, ...made } = await make().catch((error: unknown) => {
    rmSync(file, { force: true });
    throw error;
  });
  writeFileSync(file, `${token}\n`);
  return { made, file };
}
