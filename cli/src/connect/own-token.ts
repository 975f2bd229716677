import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { GuildhallError } from '../../../client/src/index.js';
import {
  AGENT_SCOPES,
  chooseAgentAccess,
  type KeptToken,
  listAgentTokens,
  type Place,
} from '../agent-tokens.js';
import { wantedBy } from '../call.js';
import type { Call } from '../command.js';
import { type Access, type AgentToken, getContext, writeConfig } from '../config.js';
import { addressOf } from '../repository.js';
import { openService } from '../service.js';

const LONGEST_NAME = 200;

/**
 * The token that a program of this repository uses, and its agent: `own` was created by connect,
 * `environment` is GUILDHALL_TOKEN, and `sign-in` belongs to a person without a session to create another.
 */
export interface Acting {
  token: 'own' | 'environment' | 'sign-in';
  agentId: string | null;
}

/** Creates a token for the agent if the person has a session. A valid existing token is kept. */
export async function ensureOwnToken(call: Call, place: Place, agentId: string): Promise<Acting> {
  const { env, signal } = call;
  const access = chooseAgentAccess(wantedBy(call), place);
  const { url, context, own } = access;
  const found = await readCredential(call, access);
  if (context === undefined) return { token: 'environment', agentId: found?.agent_id ?? null };
  const isGood = found !== undefined && AGENT_SCOPES.every((scope) => found.scopes.includes(scope));
  if (own && isGood && found.agent_id === agentId) return keepFor(call, place, own);
  const { session } = getContext(call.config, context);
  if (session === undefined) return { token: 'sign-in', agentId: found?.agent_id ?? null };
  const people = openService({ url, session }, env).people();
  // Fails before the token is created if the file cannot be written.
  writeConfig(env, call.config);
  const create = (agent_id?: string) => {
    const name = `${agentId} on ${hostname()}`.slice(0, LONGEST_NAME);
    return people.createMyToken(
      { name, scopes: [...AGENT_SCOPES], ...(agent_id && { agent_id }) },
      { signal },
    );
  };
  const made = await create(agentId).catch((error: unknown) => {
    if (!isUnknownAgent(error)) throw error;
    // An agent that only guildhall.json names is created with its first memory. Until then it has a token in
    // the person's name.
    return own && isGood && found.agent_id === null ? undefined : create();
  });
  if (!made) return keepFor(call, place, own!);
  const { token_id, token, agent_id } = made;
  const checkouts = listConnected(own?.kept, place);
  const kept = { program: place.program, repository: addressOf(place.checkout), checkouts };
  store(call, context, { ...kept, agent_id, token_id, token }, own);
  if (own) await people.revokeMyToken({ token_id: own.kept.token_id }, { signal }).catch(() => {});
  return { token: 'own', agentId: agent_id };
}

/** Undefined if there is no token, or the service does not know it. */
async function readCredential({ env, signal }: Call, { url, token }: Access) {
  if (token === undefined) return undefined;
  const { client } = openService({ url, token }, env);
  return client.getCredential({}, { signal }).catch((error: unknown) => {
    if (error instanceof GuildhallError && error.status === 401) return undefined;
    throw error;
  });
}

const isUnknownAgent = (error: unknown) =>
  error instanceof GuildhallError && error.status === 422 && error.message.startsWith('agent_id ');

function keepFor(call: Call, place: Place, own: KeptToken): Acting {
  const checkouts = listConnected(own.kept, place);
  if (checkouts.length !== own.kept.checkouts.length)
    store(call, own.context, { ...own.kept, checkouts }, own);
  return { token: 'own', agentId: own.kept.agent_id };
}

const listConnected = (kept: AgentToken | undefined, { checkout: { root } }: Place): string[] => [
  ...(kept?.checkouts ?? []).filter((each) => each !== root),
  root,
];

function store(call: Call, context: string, token: AgentToken | undefined, before?: KeptToken): void {
  const { config, env } = call;
  const drop = (name: string) => {
    const { agents = [] } = config.contexts[name]!;
    config.contexts[name]!.agents = agents.filter(({ token_id }) => token_id !== before?.kept.token_id);
  };
  if (before) drop(before.context);
  if (token) config.contexts[context]!.agents = [...(config.contexts[context]!.agents ?? []), token];
  writeConfig(env, config);
}

/** Revokes the agent's token when the last connected checkout is disconnected. Returns messages to show. */
export async function releaseOwnToken(call: Call, place: Place, signal: AbortSignal): Promise<string[]> {
  const notes: string[] = [];
  for (const own of listAgentTokens(call.config, place)) {
    const others = own.kept.checkouts.filter(
      (each) => each !== place.checkout.root && existsSync(join(each, '.git')),
    );
    if (others.length === own.kept.checkouts.length) continue;
    if (others.length > 0) {
      store(call, own.context, { ...own.kept, checkouts: others }, own);
      continue;
    }
    const isRevoked = await revoke(call, own, signal);
    store(call, own.context, undefined, own);
    const whose = own.kept.agent_id ?? place.program;
    notes.push(
      isRevoked
        ? `Revoked the token of ${whose}.`
        : `Removed the token of ${whose} from this machine, but could not revoke it. Revoke it with: guildhall tokens revoke ${own.kept.token_id}`,
    );
  }
  return notes;
}

/** Returns false if there is no session, or the service did not confirm. */
export async function revoke(
  { config, env }: Pick<Call, 'config' | 'env'>,
  { context, kept: { token_id } }: KeptToken,
  signal: AbortSignal,
): Promise<boolean> {
  const { url, session } = getContext(config, context);
  if (session === undefined) return false;
  const people = openService({ url, session }, env).people();
  return people.revokeMyToken({ token_id }, { signal }).then(
    () => true,
    (error: unknown) => error instanceof GuildhallError && error.status === 404,
  );
}
