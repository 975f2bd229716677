import { Type } from 'typebox';
import { ApiError, badRequest, unprocessable } from '../../kernel/errors.js';
import { Answer, accepted } from '../../platform/http/answer/answers.js';
import { agentAccess, error, type Route, route } from '../../platform/http/declaration/route.js';
import type { AgentRequest } from './calls.js';
import type { McpService } from './mcp.service.js';
import { type Narrowing, TOOLSETS, type Toolset } from './operations.js';
import { readPlainCall, takesJson } from './plain-call.js';

const AnyJson = Type.Unsafe<unknown>({
  'x-any-json': true,
  description: 'A JSON-RPC message of the protocol.',
});

const Query = Type.Object({
  toolsets: Type.Optional(
    Type.String({ description: `Show only these, comma-separated: ${TOOLSETS.join(', ')}.` }),
  ),
  read_only: Type.Optional(
    Type.String({ description: '`1` hides everything that changes something, `0` hides nothing.' }),
  ),
});

/** Per request; later versions of the protocol do not allow batches. */
const MOST_MESSAGES = 100;

const tooManyMessages = () => unprocessable(`The body must have at most ${MOST_MESSAGES} messages`);

interface Batch {
  request: AgentRequest & {
    headers: Record<string, string | string[] | undefined>;
    countAgain(): Promise<void>;
  };
  narrowing: Narrowing;
}

/** From the range that JSON-RPC reserves for servers. */
const REFUSED = -32_000;

const EVERY_ANSWER = 'application/json, text/event-stream';

export function mcpRoutes(mcp: McpService): Route[] {
  return [
    route({
      name: 'call_mcp',
      method: 'POST',
      path: '/mcp',
      summary: 'Call tools over MCP',
      description:
        'Stateless MCP over streamable HTTP. Point an MCP client here with a personal access token as bearer. The token decides which tools it sees. ' +
        'A coder uses the token of its build and sees the tools for its card.',
      tags: ['Agents'],
      access: agentAccess(),
      agents: 'never',
      refusesForeignPages: true,
      carriesOperations: true,
      query: Query,
      body: AnyJson,
      responses: {
        200: {
          contentType: ['application/json', 'text/event-stream'],
          description: 'The answer, as the protocol has it',
        },
        202: null,
      },
      errors: [
        error(400, 'A message that the protocol does not know, or an unknown value of `read_only`'),
        error(406, 'The caller takes no JSON'),
      ],
      handler: async (request) => {
        const { query, body, headers } = request;
        const visit = { request, narrowing: readNarrowing(query, headers) };
        if (Array.isArray(body) && body.length > 0) return answerBatch(mcp, body, visit);
        const call = readPlainCall(headers, body);
        if (call) return mcp.callPlainly(call, visit);
        const response = await mcp.serve(asRequest(headers, request.signal), body, visit);
        return toAnswer(takesEvents(headers['accept']) ? response : await withoutEvents(response));
      },
    }),
  ];
}

function asRequest(headers: Record<string, string | string[] | undefined>, signal: AbortSignal): Request {
  const kept = [
    'accept',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'last-event-id',
  ];
  const own = new Headers({ 'content-type': 'application/json' });
  for (const name of kept) {
    const value = headers[name];
    if (typeof value === 'string') own.set(name, value);
  }
  // The protocol requires both media types; add them for clients that accept only JSON.
  if (takesJson(headers['accept'])) own.set('accept', EVERY_ANSWER);
  return new Request('http://guildhall.invalid/mcp', { method: 'POST', headers: own, signal });
}

const takesEvents = (accept: string | string[] | undefined): boolean =>
  /text\/event-stream/i.test(String(accept));

/** The older protocol answers a message with a single event. */
async function withoutEvents(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const text = lines[0]!.slice('data: '.length);
  return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } });
}

/**
 * Runs the messages of a batch one after another; each counts against the limits and waits in the queue like
 * a request.
 */
async function answerBatch(mcp: McpService, messages: readonly unknown[], visit: Batch): Promise<Answer> {
  if (messages.length > MOST_MESSAGES) throw tooManyMessages();
  const { request } = visit;
  const answers: string[] = [];
  for (const [index, message] of messages.entries()) {
    try {
      if (index > 0) await request.countAgain();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      answers.push(...refusalOf(message, error));
      continue;
    }
    answers.push(...(await answerMessage(mcp, message, visit)));
  }
  if (answers.length === 0) return accepted();
  return new Answer(200, { kind: 'bytes', bytes: `[${answers.join()}]`, contentType: 'application/json' });
}

/** Empty for a notification. */
async function answerMessage(mcp: McpService, message: unknown, visit: Batch): Promise<string[]> {
  const { headers, signal } = visit.request;
  const call = readPlainCall(headers, message);
  if (call) {
    const { content } = await mcp.callPlainly(call, visit);
    return content.kind === 'bytes' ? [String(content.bytes)] : [];
  }
  const response = await withoutEvents(await mcp.serve(asRequest(headers, signal), message, visit));
  const text = await response.text();
  return text === '' ? [] : [text];
}

function refusalOf(message: unknown, { message: text }: ApiError): string[] {
  const id = (message as { id?: unknown } | null)?.id;
  if (id === undefined) return [];
  return [JSON.stringify({ jsonrpc: '2.0', id, error: { code: REFUSED, message: text } })];
}

async function toAnswer(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers);
  delete headers['content-type'];
  delete headers['content-length'];
  const contentType = response.headers.get('content-type');
  if (!contentType) return new Answer(response.status, { kind: 'empty' }, headers);
  if (contentType.startsWith('text/event-stream') && response.body) {
    return new Answer(response.status, { kind: 'stream', chunks: response.body, contentType }, headers);
  }
  return new Answer(
    response.status,
    { kind: 'bytes', bytes: Buffer.from(await response.arrayBuffer()), contentType },
    headers,
  );
}

function readNarrowing(
  query: { toolsets?: string; read_only?: string },
  headers: Record<string, string | string[] | undefined>,
): Narrowing {
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  const wanted = query.toolsets ?? header('x-mcp-toolsets');
  const readOnly = [
    readSwitch('read_only', query.read_only),
    readSwitch('X-MCP-Readonly', header('x-mcp-readonly')),
  ];
  return {
    toolsets: wanted === undefined ? undefined : readToolsets(wanted),
    readOnly: readOnly.includes(true),
  };
}

const YES = ['', '1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

/** Only a clear "no" allows writing; a typo must not. */
function readSwitch(name: string, text: string | undefined): boolean {
  const value = text?.trim().toLowerCase();
  if (value === undefined || NO.includes(value)) return false;
  if (YES.includes(value)) return true;
  throw badRequest(`${name} must be one of: ${[...YES.slice(1), ...NO].join(', ')}`);
}

function readToolsets(text: string): ReadonlySet<Toolset> {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const unknown = names.find((name) => !TOOLSETS.includes(name as Toolset));
  if (unknown) throw unprocessable(`toolsets must be of: ${TOOLSETS.join(', ')}`);
  return new Set(names as Toolset[]);
}
