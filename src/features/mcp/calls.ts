import { CursorCodec } from '../../kernel/cursor.js';
import { ApiError, notFound } from '../../kernel/errors.js';
import type { LaggingReads } from '../../kernel/lagging-reads.js';
import type { Log } from '../../kernel/log.js';
import { withinRequest } from '../../kernel/request-context.js';
import { Answer } from '../../platform/http/answer/answers.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import { authorize } from '../../platform/http/request/authentication.js';
import { type NameFinder, nameResolver } from '../../platform/http/request/names.js';
import { type Arguments, tellKnown, withOwn } from './arguments.js';
import { abridge, takeDetail } from './detail.js';
import { explainNothing } from './names.js';
import { type AgentCaller, type AgentOperation, isOpenTo } from './operations.js';
import {
  type Listing,
  listingOf,
  type Position,
  readPosition,
  shorten,
  type TooMany,
  tellData,
  tellText,
} from './pages.js';

/** One call of an agent: who calls, and what is known of the request that carried it. The last two cost something to ask for. */
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

/** Carries out operations for agents: the same checks in the same order as over HTTP, answered as text. */
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
      const told = tell(content, operation, { ...position, fewer }, { codec, brief, listing });
      if (typeof told === 'string') return told;
      fewer = told.fewer;
    }
  }

  /** What its route makes of the arguments, read and checked as a request's are. */
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

    /** The same for a reader that has no use for half an answer. */
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
  return known ? `${detail}; ${tellKnown(known)}` : detail;
};

/** Where a call begins. Only reading goes on: whatever changes something knows no cursor, because it would be done again. */
function findPosition({ effect, direct }: AgentOperation, given: Arguments, codec: CursorCodec): Position {
  if (effect !== 'read') return { args: { ...direct?.defaults, ...given } };
  const { cursor, ...others } = given;
  const args = { ...direct?.defaults, ...others };
  return cursor === undefined || cursor === null ? { args } : readPosition(codec, cursor, args);
}

function tell(
  { data: whole, text }: Content,
  { effect }: AgentOperation,
  position: Position,
  { codec, brief, listing }: { codec: CursorCodec; brief?: readonly string[]; listing: Listing },
): string | TooMany {
  const data = whole && brief ? abridge(whole, brief) : whole;
  // What changes something is never done again for the rest of its answer.
  if (effect !== 'read') return shorten(data ? writeYaml(data) : text!);
  if (!data) return tellText(text!, position, codec);
  return tellData(data, position, listing, codec);
}

interface Content {
  data?: object;
  text?: string;
}

/** What an answer says, as data or as text. */
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
      // Long answers are written piece by piece; what never ends is declared as none of an agent's.
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
