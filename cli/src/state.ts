import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder for state between calls, such as hook failures. */
export const stateFolder = (env: Record<string, string | undefined>): string =>
  join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'guildhall');
