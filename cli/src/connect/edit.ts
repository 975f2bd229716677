import type { Program } from '../hooks/event.js';

/** Where the service is, and how programs get to it. */
export interface Place {
  url: string;
  /** `token`: from GUILDHALL_TOKEN, straight to the address. `bridge`: `guildhall mcp`, with the stored sign-in. */
  way: 'token' | 'bridge';
}

/**
 * What starts the bridge. It sends nothing to an address that the person who starts it has not signed in to, and has the token of
 * the program's agent in the repository. By its name on the PATH: a registry may have another package of that name.
 */
export const bridgeTo = (url: string, program: Program) => ({
  command: 'guildhall',
  args: ['mcp', '--url', url, '--program', program],
});

/** One file of the repository: what it says with us, and without. Null is a file that is not there. */
export interface Edit {
  path: string;
  /** Other programs need it as well. */
  shared?: true;
  add(text: string | null, place: Place): string | null;
  remove(text: string | null): string | null;
}
