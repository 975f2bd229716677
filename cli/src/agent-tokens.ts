import type { Checkout } from './checkout.js';
import { type Access, type AgentToken, type Config, chooseAccess, type Wanted } from './config.js';
import { addressOf } from './repository.js';

/** For memories, and for projects and lessons; boards ask for no scope. */
export const AGENT_SCOPES = ['memory:read', 'memory:write', 'code:read'] as const;

/** Which agent is meant: a program in a repository. */
export interface Place {
  checkout: Checkout;
  program: string;
}

export interface KeptToken {
  /** The name of the context that holds it. */
  context: string;
  kept: AgentToken;
}

/** The tokens that connect made for a program in this repository, whichever clone or worktree asked for them. */
export function listAgentTokens({ contexts }: Config, { checkout, program }: Place): KeptToken[] {
  const repository = addressOf(checkout);
  return Object.entries(contexts).flatMap(([context, { agents = [] }]) =>
    agents
      .filter((each) => each.program === program && each.repository === repository)
      .map((kept) => ({ context, kept })),
  );
}

/** Not the token of another agent than the one that guildhall.json names. */
const suits =
  ({ agent_id: named }: Checkout['settings']) =>
  ({ kept: { agent_id } }: KeptToken) =>
    named === undefined || agent_id === null || agent_id === named;

export interface AgentAccess extends Access {
  /** The token that connect made; without one, the access is the person's. */
  own?: KeptToken | undefined;
}

/** How a program of this repository reaches the service. The environment outranks what is stored, as everywhere. */
export function chooseAgentAccess(wanted: Wanted, place: Place): AgentAccess {
  const { config, context: named } = wanted;
  const access = chooseAccess(wanted);
  if (access.context === undefined) return access;
  const [own] = listAgentTokens(config, place)
    .filter(({ context }) => config.contexts[context]!.url === access.url)
    .filter(({ context }) => named === undefined || context === named)
    .filter(suits(place.checkout.settings))
    .sort((a, b) => Number(b.context === access.context) - Number(a.context === access.context));
  if (!own) return access;
  // The person's session stays out of it: an agent does what its token may do.
  const { brand_id } = config.contexts[own.context]!;
  return { url: access.url, token: own.kept.token, brandId: brand_id, context: own.context, own };
}
