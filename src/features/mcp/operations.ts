import type { BuildCaller, TokenCaller } from '../../kernel/access.js';
import { type DirectTool, effectOf, type Route } from '../../platform/http/declaration/route.js';
import { holdsScopes } from '../../platform/http/request/authentication.js';
import { argumentPlaces, type Places } from '../../platform/http/request/names.js';
import { type InputReader, inputReader } from '../../platform/http/request/route-input.js';
import { argumentSorter } from './arguments.js';

export const TOOLSETS = ['boards', 'memory', 'lessons', 'builds', 'profiles', 'workspace'] as const;
export type Toolset = (typeof TOOLSETS)[number];

/** Who comes to the agents' door. */
export type AgentCaller = TokenCaller | BuildCaller;

/** What a caller wants to see; absent means everything. */
export interface Narrowing {
  toolsets: ReadonlySet<Toolset> | undefined;
  readOnly: boolean;
}

/** A declared route as agents meet it. */
export interface AgentOperation {
  name: string;
  route: Route;
  toolset: Toolset;
  effect: 'read' | 'write' | 'destroy';
  direct: DirectTool | undefined;
  /** Where its arguments may hold names of things. */
  places: Places | undefined;
  sortArguments: ReturnType<typeof argumentSorter>;
  readInput: InputReader;
}

const TOOLSET_OF_TAG: Record<string, Toolset> = {
  Boards: 'boards',
  Memory: 'memory',
  'Lessons near code': 'lessons',
  Projects: 'lessons',
  Builds: 'builds',
  'Coder profiles': 'profiles',
};

/** Every operation that a token or a coder at work may call and that is not declared to be none of an agent's business. */
export function listOperations(routes: readonly Route[]): AgentOperation[] {
  return routes
    .filter(({ access, agents }) => isForAgents(access) && agents !== 'never')
    .map((route) => ({
      name: route.name,
      route,
      toolset: TOOLSET_OF_TAG[route.tags[0]] ?? 'workspace',
      effect: effectOf(route),
      direct: directOf(route),
      places: argumentPlaces(route),
      sortArguments: argumentSorter(route),
      readInput: inputReader(route),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The summary says what it does, the description what else is to be known: neither repeats the other. */
export const explain = ({ summary, description }: Route): string =>
  description ? `${summary}. ${description}` : summary;

const isForAgents = ({ credentials }: Route['access']): boolean =>
  credentials.includes('pat') || credentials.includes('build');

function directOf({ agents }: Route): AgentOperation['direct'] {
  if (agents === 'direct') return {};
  return typeof agents === 'object' ? agents.direct : undefined;
}

/** Tools follow the token: what it may not call, it does not see. */
export const isOpenTo = (operation: AgentOperation, caller: AgentCaller): boolean =>
  caller.kind === 'build' ? isOpenToBuild(operation, caller) : isOpenToToken(operation, caller);

const isOpenToBuild = ({ route: { access, openToBuilds } }: AgentOperation, caller: BuildCaller): boolean =>
  (access.credentials.includes('build') || openToBuilds !== undefined) &&
  Object.values(openToBuilds?.own ?? {}).every((property) => caller.own[property] !== null) &&
  holdsScopes(access, caller.scopes);

const isOpenToToken = ({ route }: AgentOperation, caller: TokenCaller): boolean =>
  route.access.credentials.includes('pat') &&
  holdsScopes(route.access, caller.scopes) &&
  (route.access.role !== 'admin' || caller.role === 'admin');

export const isWanted = (operation: AgentOperation, { toolsets, readOnly }: Narrowing): boolean =>
  (!toolsets || toolsets.has(operation.toolset)) && (!readOnly || operation.effect === 'read');
