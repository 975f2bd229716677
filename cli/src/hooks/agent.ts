import type { Checkout } from '../checkout.js';
import { addressOf } from '../repository.js';
import type { Service } from '../service.js';
import type { Program } from './event.js';

/**
 * Returns the agent in guildhall.json, else the service's agent for this program and repository, which is the
 * same in every clone and differs between repositories with the same folder name.
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
