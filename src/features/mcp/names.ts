import type { Arguments } from './arguments.js';
import type { AgentOperation } from './operations.js';

type Data = Record<string, unknown>;

/** Calls another operation as the same caller; undefined when it is not open to them. */
export type Ask = (name: string, args: Arguments) => Promise<Data | undefined>;

/** An answer with nothing in it because a name was wrong is taken for "there is nothing": so the names that are right are told. */
export async function explainNothing(
  { name, route }: AgentOperation,
  args: Arguments,
  data: Data,
  ask: Ask,
): Promise<string | undefined> {
  switch (name) {
    case 'search_memories':
    case 'recall_memories':
      return data['count'] === 0 ? nameAgents([args['agent_id']], ask) : undefined;
    case 'find_tasks':
      if (listOf(data, 'items').length > 0) return undefined;
      return nameStatuses(route, args['status']) ?? nameAgents(split(args['agent'], ['any', 'none']), ask);
    case 'find_lessons_near':
      if (data['reached_nodes'] !== 0 || data['degraded'] !== null) return undefined;
      return namePaths(args['project_id'], Array.isArray(args['paths']) ? args['paths'] : [], ask);
    case 'search_lessons':
      return data['total'] === 0 ? namePaths(args['project_id'], [args['anchor']], ask) : undefined;
    default:
      return undefined;
  }
}

const listOf = (data: Data | undefined, key: string): Data[] => {
  const list = data?.[key];
  return Array.isArray(list) ? (list as Data[]) : [];
};

const split = (value: unknown, words: readonly string[]): string[] =>
  (typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : [])
    .map((each) => each.trim())
    .filter((each) => each !== '' && !words.includes(each));

const MOST_NAMED = 30;
const thereAre = (names: readonly unknown[]) =>
  names.length === 0
    ? 'there are none'
    : `there are: ${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ' and more' : ''}`;

async function nameAgents(asked: readonly unknown[], ask: Ask): Promise<string | undefined> {
  if (asked.length === 0) return undefined;
  const answer = await ask('list_agents', {});
  if (!answer) return undefined;
  const known = listOf(answer, 'agents').map(({ agent_id }) => agent_id);
  const unknown = asked.filter((each) => !known.includes(each));
  if (unknown.length === 0) return undefined;
  return `There is no agent ${unknown.join(', ')} here (a new one begins with its first create_memory); ${thereAre(known)}`;
}

/** As the declaration lists them for readers. */
function nameStatuses(route: AgentOperation['route'], asked: unknown): string | undefined {
  const { properties } = (route.query ?? {}) as { properties?: Record<string, { description?: string }> };
  const known = properties?.['status']?.description?.match(/[a-z_]+/g) ?? [];
  const unknown = split(asked, known);
  return unknown.length === 0 ? undefined : `There is no status ${unknown.join(', ')}; ${thereAre(known)}`;
}

async function namePaths(
  project_id: unknown,
  asked: readonly unknown[],
  ask: Ask,
): Promise<string | undefined> {
  const paths = asked.filter((each): each is string => typeof each === 'string' && each !== '');
  if (project_id === undefined || paths.length === 0) return undefined;
  for (const path of paths) {
    const found = await ask('list_code_nodes', { project_id, path, limit: 1 });
    if (!found || listOf(found, 'items').length > 0) return undefined;
  }
  const near = await findNear(project_id, paths[0]!, ask);
  return `There is no code at ${paths.join(', ')} in the project; ${thereAre(near)}`;
}

/** What is in the folder that was meant, or in the nearest one above it that there is. */
async function findNear(project_id: unknown, path: string, ask: Ask): Promise<unknown[]> {
  const parts = path.split('#')[0]!.split('/').filter(Boolean);
  for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
    const prefix = parts
      .slice(0, depth)
      .map((part) => `${part}/`)
      .join('');
    const filters = { ...(prefix !== '' && { prefix }), kind: 'file', limit: MOST_NAMED };
    const found = listOf(await ask('list_code_nodes', { project_id, ...filters }), 'items');
    if (found.length > 0) return found.map((node) => node['path']);
  }
  return [];
}
