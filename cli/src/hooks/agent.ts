import { basename } from 'node:path';
import type { Checkout } from '../checkout.js';
import type { Program } from './event.js';

/** The agent that guildhall.json names, else `<program>-<folder name>`, in the letters that an agent_id may have. */
export function agentOf({ root, settings }: Checkout, program: Program): string {
  if (settings.agent_id) return settings.agent_id;
  const folder = basename(root)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${program}-${folder || 'checkout'}`.slice(0, 255);
}
