import { effectOf, type Route } from '../../http/route.js';
import { type InputReader, inputReader } from '../../http/route-input.js';
import type { TokenCaller } from '../../kernel/access.js';
import { argumentSorter } from './arguments.js';

export const TOOLSETS = ['boards', 'memory', 'lessons', 'builds', 'profiles', 'workspace'] as const;
export type Toolset = (typeof TOOLSETS)[number];

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
  direct: { fields?: readonly string[]; defaults?: Record<string, unknown> } | undefined;
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

/** Every operation that a personal access token may call and that is not declared to be none of an agent's business. */
export function listOperations(routes: readonly Route[]): AgentOperation[] {
  return routes
    .filter(({ access, agents }) => access.credentials.includes('pat') && agents !== 'never')
    .map((route) => ({
      name: route.name,
      route,
      toolset: TOOLSET_OF_TAG[route.tags[0]] ?? 'workspace',
      effect: effectOf(route),
      direct: directOf(route),
      sortArguments: argumentSorter(route),
      readInput: inputReader(route),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function directOf({ agents }: Route): AgentOperation['direct'] {
  if (agents === 'direct') return {};
  return typeof agents === 'object' ? agents.direct : undefined;
}

/** Tools follow the token: what it may not call, it does not see. */
export const isOpenTo = ({ route }: AgentOperation, caller: TokenCaller): boolean =>
  route.access.scopes.every((scope) => caller.scopes.includes(scope)) &&
  (route.access.role !== 'admin' || caller.role === 'admin');

export const isWanted = (operation: AgentOperation, { toolsets, readOnly }: Narrowing): boolean =>
  (!toolsets || toolsets.has(operation.toolset)) && (!readOnly || operation.effect === 'read');
