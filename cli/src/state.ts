import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the program keeps for itself between calls. */
export const stateFolder = (env: Record<string, string | undefined>): string =>
  join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'guildhall');
