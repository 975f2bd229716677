import type { ForgeKind } from '../forge.js';
import { forgejoHook } from './forgejo-hook.js';
import { githubHook } from './github-hook.js';
import { gitlabHook } from './gitlab-hook.js';
import type { HookReader } from './hook-words.js';

/** By the kind of host: how its hooks speak. */
export const HOOK_READERS: Record<ForgeKind, HookReader> = {
  github: githubHook,
  gitlab: gitlabHook,
  forgejo: forgejoHook,
};
