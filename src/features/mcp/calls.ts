import { Answer } from '../../http/answers.js';
import { authorize } from '../../http/authentication.js';
import { writeYaml } from '../../http/yaml.js';
import { CursorCodec } from '../../kernel/cursor.js';
import { ApiError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { withinRequest } from '../../kernel/request-context.js';
import { type Arguments, withOwn } from './arguments.js';
import type { AgentCaller, AgentOperation } from './operations.js';
import { type Position, readPosition, shorten, type TooMany, tellData, tellText } from './pages.js';

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
  cursorSecret: string;
  log: Log;
  translateError(error: unknown): ApiError | undefined;
}

export const said = (text: string): ToolAnswer => ({ content: [{ type: 'text', text }] });

/** Carries out operations for agents: the same checks in the same order as over HTTP, answered as text. */
export function createCalls({ cursorSecret, log, translateError }: CallOptions) {
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
    const { route, sortArguments, readInput } = operation;
    const { caller, requestId } = request;
    const codec = codecOf(operation.name);
    authorize(route, caller, {});
    const position = findPosition(operation, given, codec);

    const ask = async (wanted: Arguments): Promise<Answer | object> => {
      const own = caller.kind === 'build' ? withOwn(route, caller, wanted) : wanted;
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
      const work = () => route.handler(asked as never);
      return operation.effect === 'read' ? work() : withinRequest(request, work);
    };

    const wanted = { ...position.args, ...position.on };
    for (let { fewer } = position; ; ) {
      const result = await ask(fewer === undefined ? wanted : { ...wanted, limit: fewer });
      const told = await tell(result, operation, { ...position, fewer }, codec);
      if (typeof told === 'string') return told;
      fewer = told.fewer;
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
  return typeof error.detail === 'string' ? error.detail : writeYaml(error.detail);
};

/** Where a call begins. Only reading goes on: whatever changes something knows no cursor, because it would be done again. */
function findPosition({ effect, direct }: AgentOperation, given: Arguments, codec: CursorCodec): Position {
  if (effect !== 'read') return { args: { ...direct?.defaults, ...given } };
  const { cursor, ...others } = given;
  const args = { ...direct?.defaults, ...others };
  return cursor === undefined || cursor === null ? { args } : readPosition(codec, cursor, args);
}

async function tell(
  result: Answer | object,
  { route, effect }: AgentOperation,
  position: Position,
  codec: CursorCodec,
): Promise<string | TooMany> {
  const { data, text } = await contentOf(result);
  // What changes something is never done again for the rest of its answer.
  if (effect !== 'read') return shorten(data ? writeYaml(data) : text!);
  if (!data) return tellText(text!, position, codec);
  return tellData(data, position, { pagination: route.pagination, takesLimit: takesLimit(route) }, codec);
}

/** What an answer says, as data or as text. */
async function contentOf(result: Answer | object): Promise<{ data?: object; text?: string }> {
  if (!(result instanceof Answer)) return { data: result };
  const { content } = result;
  switch (content.kind) {
    case 'data':
      return { data: content.data as object };
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

const takesLimit = ({ query }: AgentOperation['route']): boolean =>
  'limit' in ((query as { properties?: object } | undefined)?.properties ?? {});

async function readWhole(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
