import { rmSync, writeFileSync } from 'node:fs';
import { misuse } from './failure.js';
import type { Options } from './options.js';

export const TOKEN_OPTIONS: [string, string][] = [
  ['--to <file>', 'Where to put it; a file that is there is not overwritten'],
  ['--scope <scope>...', 'Scopes: brand:read, brand:admin, memory:read, memory:write, code:read'],
  ['--agent <agent>', 'The agent that acts with it, on behalf of the person'],
  ['--expires <time>', 'When it ends, such as 2027-01-01T00:00:00Z'],
];

/** Writes a new token to a file that only its owner can read, and returns the path and the other fields. */
export async function keepToken<Made extends { token: string }>(
  options: Options,
  make: () => Promise<Made>,
): Promise<{ made: Omit<Made, 'token'>; file: string }> {
  const file = options.text('to');
  if (file === undefined) throw misuse('Where to?', 'A token is not printed: say --to <file>.');
  // Creates the file before the token, so that an unwritable path fails without creating a token.
  writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  const { token, ...made } = await make().catch((error: unknown) => {
    rmSync(file, { force: true });
    throw error;
  });
  writeFileSync(file, `${token}\n`);
  return { made, file };
}
