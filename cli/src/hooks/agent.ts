import type { Checkout } from '../checkout.js';
import { addressOf } from '../repository.js';
import type { Service } from '../service.js';
import type { Program } from './event.js';

/**
 * The agent that guildhall.json names, else the one that the service has for this program in this repository: the same in
 * every clone and worktree, and another one in another repository of the same folder name.
 */
export async function resolveAgent(
  checkout: Checkout,
  program: Program,
  { client }: Pick<Service, 'client'>,
  signal: AbortSignal,
): Promise<string> {
  const { agent_id } = checkout.settings;
  if (agent_id) return agent_id;
  const fields = { program, repository: addressOf(checkout) };
  return (await client.resolveAgent(fields, { signal })).agent_id;
}
