import { withinRequest } from '../../kernel/access.js';
import { CursorCodec } from '../../kernel/cursor.js';
import { ApiError, notFound, unprocessable } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { LaggingReads } from '../../platform/database/replicas/lagging-reads.js';
import { Answer } from '../../platform/http/answer/answers.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import { authorize } from '../../platform/http/request/authentication.js';
import { type NameFinder, nameResolver } from '../../platform/http/request/names.js';
import { STATUSES } from '../boards/index.js';
import {
  type AgentCaller,
  type AgentOperation,
  type Arguments,
  describeKnown,
  isOpenTo,
  withOwn,
} from './operations.js';
import {
  type Listing,
  listingOf,
  type Position,
  readPosition,
  shorten,
  type TooMany,
  writePage,
  writeText,
} from './pages.js';

/**
 * One call of an agent: the caller and facts about the HTTP request. The last two are functions because
 * reading them costs time.
 */
export interface AgentRequest {
  caller: AgentCaller;
  requestId: string;
  clientAddress: string;
  signal: AbortSignal;
}

export interface ToolAnswer {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

export interface CallOptions {
  laggingReads: LaggingReads;
  cursorSecret: string;
  log: Log;
  names: NameFinder;
  translateError(error: unknown): ApiError | undefined;
}

export const said = (text: string): ToolAnswer => ({ content: [{ type: 'text', text }] });

/** Runs operations for agents with the same checks in the same order as over HTTP, and answers as text. */
export function createCalls(
  { cursorSecret, log, names, translateError, laggingReads }: CallOptions,
  find: (name: string) => AgentOperation | undefined,
) {
  const codecs = new Map<string, CursorCodec>();
  const codecOf = (name: string): CursorCodec => {
    const codec = codecs.get(name) ?? new CursorCodec(cursorSecret, `mcp:${name}`);
    codecs.set(name, codec);
    return codec;
  };

  async function answerText(
    operation: AgentOperation,
    request: AgentRequest,
    given: Arguments,
  ): Promise<string> {
    const { route } = operation;
    const { caller } = request;
    const codec = codecOf(operation.name);
    authorize(route, caller, {});
    const { args, brief } = takeDetail(operation, given);
    const position = findPosition(operation, args, codec);
    const askOther = async (name: string, args: Arguments) => {
      const other = find(name);
      if (!other || !isOpenTo(other, caller)) return undefined;
      return (await contentOf(await carryOut(other, request, args))).data as
        | Record<string, unknown>
        | undefined;
    };

    const listing = listingOf(route, { ...position.args, ...position.on });
    const resolveNames = nameResolver(operation.places, names);
    const asked = { ...listing.begin, ...position.args, ...position.on };
    const wanted = resolveNames ? await resolveNames(caller.brandId, asked) : asked;
    for (let { fewer } = position; ; ) {
      const result = await carryOut(
        operation,
        request,
        fewer === undefined ? wanted : { ...wanted, [listing.size!]: fewer },
      );
      const content = await contentOf(result);
      const nothing =
        operation.effect === 'read' && content.data && given['cursor'] === undefined
          ? await explainNothing(operation, wanted, content.data as Record<string, unknown>, askOther)
          : undefined;
      if (nothing !== undefined) throw notFound(nothing);
      const written = writeAnswer(content, operation, { ...position, fewer }, { codec, brief, listing });
      if (typeof written === 'string') return written;
      fewer = written.fewer;
    }
  }

  /** Validates the arguments like a request's and runs the route's handler. */
  async function carryOut(
    { route, effect, sortArguments, readInput }: AgentOperation,
    request: AgentRequest,
    args: Arguments,
  ): Promise<Answer | object> {
    const { caller, requestId } = request;
    const own = caller.kind === 'build' ? withOwn(route, caller, args) : args;
    const input = await readInput(sortArguments(caller, own));
    const asked = {
      ...input,
      caller,
      headers: {},
      requestId,
      get clientAddress() {
        return request.clientAddress;
      },
      get signal() {
        return request.signal;
      },
    };
    const work = async () => route.handler(asked as never);
    if (effect === 'read') return route.mayLag ? laggingReads.read(caller, work) : work();
    try {
      return await withinRequest(request, work);
    } finally {
      await laggingReads.noteNews(caller);
    }
  }

  return {
    async call(operation: AgentOperation, request: AgentRequest, args: Arguments): Promise<ToolAnswer> {
      try {
        return said(await answerText(operation, request, args));
      } catch (error) {
        return refuse(error, operation, request);
      }
    },

    /** Returns the whole answer, without pages. */
    read: answerText,
  };

  function refuse(error: unknown, { route }: AgentOperation, { requestId }: AgentRequest): ToolAnswer {
    const known =
      error instanceof ApiError ? error : (route.translateFailure?.(error) ?? translateError(error));
    if (!known)
      log.error({ err: error, reqId: requestId, operation: route.name }, 'A call of an agent failed');
    return { ...said(describe(known, requestId)), isError: true };
  }
}

const describe = (error: ApiError | undefined, requestId: string): string => {
  if (!error) return `Internal error (request ${requestId})`;
  const { detail, known } = error;
  if (typeof detail !== 'string') return writeYaml(detail);
  return known ? `${detail}; ${describeKnown(known)}` : detail;
};

/** Only reads can continue at a cursor, because anything else would run a second time. */
function findPosition({ effect, direct }: AgentOperation, given: Arguments, codec: CursorCodec): Position {
  if (effect !== 'read') return { args: { ...direct?.defaults, ...given } };
  const { cursor, ...others } = given;
  const args = { ...direct?.defaults, ...others };
  return cursor === undefined || cursor === null ? { args } : readPosition(codec, cursor, args);
}

function writeAnswer(
  { data: whole, text }: Content,
  { effect }: AgentOperation,
  position: Position,
  { codec, brief, listing }: { codec: CursorCodec; brief?: readonly string[]; listing: Listing },
): string | TooMany {
  const data = whole && brief ? abridge(whole, brief) : whole;
  // An operation that changes something must not run again for the rest of its answer.
  if (effect !== 'read') return shorten(data ? writeYaml(data) : text!);
  if (!data) return writeText(text!, position, codec);
  return writePage(data, position, listing, codec);
}

interface Content {
  data?: object;
  text?: string;
}

async function contentOf(result: Answer | object): Promise<Content> {
  if (!(result instanceof Answer)) return { data: result };
  const { content } = result;
  switch (content.kind) {
    case 'data':
      return { data: content.data as object };
    case 'json':
      return { data: JSON.parse(content.json) };
    case 'bytes':
      return { text: Buffer.from(content.bytes).toString('utf8') };
    case 'empty':
      return { text: 'Done.' };
    case 'stream': {
      // Long answers arrive in chunks; routes that stream without end are not offered to agents.
      const text = await readWhole(content.chunks);
      return content.contentType.startsWith('application/json') ? { data: JSON.parse(text) } : { text };
    }
  }
}

async function readWhole(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}

const DETAILS = ['summary', 'full'] as const;

/** The argument of operations that answer briefly by default. */
export const DETAIL = {
  type: 'string',
  enum: [...DETAILS],
  default: 'summary',
  description: 'How much of it to answer.',
};

/** Removes the `detail` argument, which the route itself does not know. */
function takeDetail(
  { direct }: AgentOperation,
  given: Arguments,
): { args: Arguments; brief?: readonly string[] } {
  if (!direct?.brief) return { args: given };
  const { detail = 'summary', ...args } = given;
  if (!DETAILS.includes(detail as never)) throw unprocessable(`detail must be one of: ${DETAILS.join(', ')}`);
  return detail === 'full' ? { args } : { args, brief: direct.brief };
}

const abridge = (data: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)));

type Data = Record<string, unknown>;

/** Calls another operation as the same caller; undefined when the caller may not use it. */
export type Ask = (name: string, args: Arguments) => Promise<Data | undefined>;

/** An agent reads an empty answer as "nothing exists" even when a name was wrong, so list the valid names. */
async function explainNothing(
  { name }: AgentOperation,
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
      return nameStatuses(args['status']) ?? nameAgents(split(args['agent'], ['any', 'none']), ask);
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
  return `There is no agent ${unknown.join(', ')} here (a new one starts with its first create_memory); ${thereAre(known)}`;
}

function nameStatuses(asked: unknown): string | undefined {
  const unknown = split(asked, STATUSES);
  return unknown.length === 0 ? undefined : `There is no status ${unknown.join(', ')}; ${thereAre(STATUSES)}`;
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
