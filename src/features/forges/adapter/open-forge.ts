import type { OpenForge } from './forge.js';
import { createForgeCaller, type ForgeCallOptions } from './forge-call.js';
import { openForgejo } from './forgejo.js';
import { openGithub } from './github.js';
import { openGitlab } from './gitlab.js';

/** Hosts by what they speak; the connections to them are shared, and end with `close`. */
export function createForgeOpener(options: ForgeCallOptions): { open: OpenForge; close(): void } {
  const caller = createForgeCaller(options);
  const adapters = { github: openGithub, gitlab: openGitlab, forgejo: openForgejo };
  return {
    open: (address) => adapters[address.kind](caller, address),
    close: () => caller.close(),
  };
}
