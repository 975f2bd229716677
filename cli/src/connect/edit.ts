import type { Program } from '../hooks/event.js';

export interface Place {
  url: string;
  /** `token`: directly, with GUILDHALL_TOKEN. `bridge`: through `guildhall mcp`, with the stored sign-in. */
  way: 'token' | 'bridge';
}

/**
 * The command that starts the bridge. It sends a token only to a server that the person signed in to. It is
 * found on the PATH rather than with npx, because the registry may have another package of that name.
 */
export const bridgeTo = (url: string, program: Program) => ({
  command: 'guildhall',
  args: ['mcp', '--url', url, '--program', program],
});

/** How connecting and disconnecting change a file of the repository. Null means that it does not exist. */
export interface Edit {
  path: string;
  /** Other programs need this file too. */
  shared?: true;
  add(text: string | null, place: Place): string | null;
  remove(text: string | null): string | null;
}
