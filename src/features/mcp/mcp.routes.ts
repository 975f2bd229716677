import { Type } from 'typebox';
import { Answer } from '../../http/answer/answers.js';
import { agentAccess, error, type Route, route } from '../../http/declaration/route.js';
import { unprocessable } from '../../kernel/errors.js';
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
  read_only: Type.Optional(Type.String({ description: '`1` hides everything that changes something.' })),
});

/** Of one request; later generations of the protocol send them one by one. */
const MOST_MESSAGES = 100;

const tooManyMessages = () => unprocessable(`The body must have at most ${MOST_MESSAGES} messages`);

const EVERY_ANSWER = 'application/json, text/event-stream';

export function mcpRoutes(mcp: McpService): Route[] {
  return [
    route({
      name: 'call_mcp',
      method: 'POST',
      path: '/mcp',
      summary: "The agents' door: MCP over streamable HTTP",
      description:
        'Stateless. Point an MCP client here with a personal access token as bearer: its tools follow from what the token may do. ' +
        'A coder comes with the token of its build, and finds what its brief needs.',
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
        error(400, 'A message that the protocol does not know'),
        error(406, 'The caller takes no JSON'),
      ],
      handler: async (request) => {
        const { query, body, headers } = request;
        if (Array.isArray(body) && body.length > MOST_MESSAGES) throw tooManyMessages();
        const visit = { request, narrowing: readNarrowing(query, headers) };
        const call = readPlainCall(headers, body);
        if (call) return mcp.callPlainly(call, visit);
        const response = await mcp.serve(asRequest(headers, request.signal), body, visit);
        return toAnswer(
          takesEvents(headers['accept']) ? response : await withoutEvents(response, Array.isArray(body)),
        );
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
  // The protocol asks for both by name; whoever takes JSON is spared the events.
  if (takesJson(headers['accept'])) own.set('accept', EVERY_ANSWER);
  return new Request('http://guildhall.invalid/mcp', { method: 'POST', headers: own, signal });
}

const takesEvents = (accept: string | string[] | undefined): boolean =>
  /text\/event-stream/i.test(String(accept));

/** An exchange of the older protocol comes as events, although it is one message for each that was sent. */
async function withoutEvents(response: Response, areSeveral: boolean): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const messages = lines.map((line) => line.slice('data: '.length));
  const text = areSeveral ? `[${messages.join(',')}]` : messages[0]!;
  return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } });
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
  const readOnly = query.read_only ?? header('x-mcp-readonly');
  return { toolsets: wanted === undefined ? undefined : readToolsets(wanted), readOnly: isYes(readOnly) };
}

const isYes = (value: string | undefined) => value === '1' || value?.toLowerCase() === 'true';

function readToolsets(text: string): ReadonlySet<Toolset> {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  const unknown = names.find((name) => !TOOLSETS.includes(name as Toolset));
  if (unknown) throw unprocessable(`toolsets must be of: ${TOOLSETS.join(', ')}`);
  return new Set(names as Toolset[]);
}
