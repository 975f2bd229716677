import type { Checkout } from './checkout.js';
import { type Access, type AgentToken, type Config, chooseAccess, type Wanted } from './config.js';
import { addressOf } from './repository.js';

/** Memory scopes for memories, `code:read` for projects and lessons. Boards need no scope. */
export const AGENT_SCOPES = ['memory:read', 'memory:write', 'code:read'] as const;

/** Identifies an agent: a program in a repository. */
export interface Place {
  checkout: Checkout;
  program: string;
}

export interface KeptToken {
  context: string;
  kept: AgentToken;
}

/** Lists the tokens that `connect` created for a program in this repository, from any clone or worktree. */
export function listAgentTokens({ contexts }: Config, { checkout, program }: Place): KeptToken[] {
  const repository = addressOf(checkout);
  return Object.entries(contexts).flatMap(([context, { agents = [] }]) =>
    agents
      .filter((each) => each.program === program && each.repository === repository)
      .map((kept) => ({ context, kept })),
  );
}

/** A token for another agent does not fit if guildhall.json names one. */
const suits =
  ({ agent_id: named }: Checkout['settings']) =>
  ({ kept: { agent_id } }: KeptToken) =>
    named === undefined || agent_id === null || agent_id === named;

export interface AgentAccess extends Access {
  /** The token that `connect` created. Without one, the access is the person's. */
  own?: KeptToken | undefined;
}

/** Chooses the token for a program in this repository. Environment variables take precedence. */
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
  // The person's session is left out, so that an agent can do only what its own token allows.
  const { brand_id } = config.contexts[own.context]!;
  return { url: access.url, token: own.kept.token, brandId: brand_id, context: own.context, own };
}
