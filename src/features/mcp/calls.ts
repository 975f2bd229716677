import { Answer } from '../../http/answers.js';
import { authorize } from '../../http/authentication.js';
import { writeYaml } from '../../http/yaml.js';
import { CursorCodec } from '../../kernel/cursor.js';
import { ApiError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { withinRequest } from '../../kernel/request-context.js';
import { type Arguments, withOwn } from './arguments.js';
import type { AgentCaller, AgentOperation } from './operations.js';
import { type Position, readPosition, tellData, tellText } from './pages.js';

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
    const { route, sortArguments, readInput, direct } = operation;
    const { caller, requestId } = request;
    const codec = codecOf(operation.name);
    authorize(route, caller, {});
    const { cursor, ...args } = given;
    const position: Position =
      typeof cursor === 'string' ? readPosition(codec, cursor) : { args: { ...direct?.defaults, ...args } };
    const own = caller.kind === 'build' ? withOwn(route, caller, position.args) : position.args;
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
    const result = await (operation.effect === 'read' ? work() : withinRequest(request, work));
    return tell(result, operation, position, codec);
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

async function tell(
  result: Answer | object,
  { route }: AgentOperation,
  position: Position,
  codec: CursorCodec,
): Promise<string> {
  const content = result instanceof Answer ? result.content : ({ kind: 'data', data: result } as const);
  switch (content.kind) {
    case 'data':
      return tellData(content.data as object, position, route.pagination, codec);
    case 'bytes':
      return tellText(Buffer.from(content.bytes).toString('utf8'), position, codec);
    case 'empty':
      return 'Done.';
    case 'stream': {
      // Long answers are written piece by piece; what never ends is declared as none of an agent's.
      const text = await readWhole(content.chunks);
      const isJson = content.contentType.startsWith('application/json');
      return isJson
        ? tellData(JSON.parse(text), position, route.pagination, codec)
        : tellText(text, position, codec);
    }
  }
}

async function readWhole(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}
