import type { Board, Card, Project } from '../../client/src/index.js';
import type { Call } from './command.js';
import { broken, misuse } from './failure.js';
import { findProject } from './projects.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const REF = /^([a-z][a-z0-9]*)-(\d+)$/i;
/** The service's largest page size for cards. */
const CARDS_A_PAGE = 200;

export const isId = (text: string): boolean => UUID.test(text);
export const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const listBoards = ({ service, signal }: Call): Promise<Board[]> =>
  collect(service().client.iterate('listBoards', {}, { signal }));

/** Finds a board by id, key or name, or by default the board in guildhall.json. */
export async function findBoardId(
  call: Call,
  given = call.options.text('board'),
): Promise<string | undefined> {
  if (given === undefined) return call.checkout()?.settings.board_id;
  if (UUID.test(given)) return given;
  const boards = await listBoards(call);
  const found = boards.filter(({ key, name }) => same(key, given) || same(name, given));
  if (found.length === 1) return found[0]!.board_id;
  throw misuse(
    found.length === 0 ? `Board not found: ${given}` : `More than one board is named ${given}`,
    found.length === 0
      ? describeBoards(boards)
      : `Use an id: ${found.map((each) => each.board_id).join(', ')}`,
  );
}

/** The given board, or the only board of the workspace. */
export async function getBoardId(call: Call, given?: string): Promise<string> {
  const named = await findBoardId(call, given);
  if (named !== undefined) return named;
  const boards = await listBoards(call);
  if (boards.length === 1) return boards[0]!.board_id;
  throw misuse(
    'No board selected',
    `Pass --board, or set board_id in guildhall.json. ${describeBoards(boards)}`,
  );
}

const describeBoards = (boards: Board[]) =>
  boards.length === 0
    ? 'Create a board with: guildhall boards create "Engineering"'
    : `Available boards: ${boards.map(({ key, name }) => `${key} (${name})`).join(', ')}`;

export const isCardRef = (text: string): boolean => REF.test(text);

/** Resolves a build id, or a card to its newest build. */
export async function findBuildId(call: Call, given: string): Promise<string> {
  if (!isCardRef(given)) return given;
  const task_id = await findCardId(call, given);
  const { builds } = await call.service().client.listBuilds({ task_id, limit: 1 }, { signal: call.signal });
  if (builds[0]) return builds[0].build_id;
  throw broken(
    `${given.toUpperCase()} has no builds yet`,
    `Start one with: guildhall builds start ${given.toUpperCase()}`,
  );
}

/** Resolves a card id, or a ref such as ENG-12. */
export async function findCardId(call: Call, given: string): Promise<string> {
  if (UUID.test(given)) return given;
  if (!isCardRef(given))
    throw misuse(`${JSON.stringify(given)} is not a card`, 'Use a ref such as ENG-12, or a card id.');
  const { client } = call.service();
  const { items } = await client.findTasks({ q: given, limit: 1 }, { signal: call.signal });
  if (items[0] && same(items[0].ref, given)) return items[0].id;
  throw broken(`Card not found: ${given.toUpperCase()}`, 'List your cards with: guildhall cards list');
}

export const eachCard = (call: Call, board_id: string): AsyncIterable<Card> =>
  call
    .service()
    .client.iterate(
      'listBoardTasks',
      { board_id, detail: 'standard', per_page: CARDS_A_PAGE },
      { signal: call.signal },
    ) as AsyncIterable<Card>;

/** Resolves `--project`, or the project of the checkout. */
export async function findProjectId(call: Call): Promise<string | undefined> {
  const given = call.options.text('project');
  if (given !== undefined && UUID.test(given)) return given;
  const checkout = call.checkout();
  if (given === undefined && checkout === undefined) return undefined;
  const { client } = call.service();
  if (given === undefined) return findProject(checkout!, client, call.signal);
  return getProject((await client.listProjects({}, { signal: call.signal })).projects, given).project_id;
}

function getProject(projects: Project[], given: string): Project {
  const found = projects.find(({ name }) => same(name, given));
  if (found) return found;
  const names = projects.map(({ name }) => name).join(', ');
  throw misuse(
    `Project not found: ${given}`,
    names ? `Available projects: ${names}` : 'Create a project with: guildhall projects create <name>',
  );
}

export async function getProjectId(call: Call): Promise<string> {
  const id = await findProjectId(call);
  if (id !== undefined) return id;
  throw misuse(
    call.checkout()
      ? 'No project uses the repository of this checkout'
      : 'No project selected, and not in a git checkout',
    'Pass --project <name or id>, or set project_id in guildhall.json at the root of the checkout.',
  );
}

export async function getAgentId(call: Call): Promise<string> {
  const id = call.options.text('agent') ?? call.env['GUILDHALL_AGENT'] ?? call.checkout()?.settings.agent_id;
  if (id) return id;
  const { agents } = await call.service().client.listAgents({}, { signal: call.signal });
  if (agents.length === 1) return agents[0]!.agent_id;
  const names = agents.map(({ agent_id }) => agent_id).join(', ');
  throw misuse(
    'No agent selected',
    `Pass --agent, or set agent_id in guildhall.json.${names ? ` Available agents: ${names}` : ''}`,
  );
}
