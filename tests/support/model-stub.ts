import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A fake model that makes the agent call the wanted tool and records the result. Supports only what the
 * tested agents need of two streaming protocols.
 */
export interface ModelStub {
  url: string;
  /** The names of all offered tools, as the agent spells them. */
  offered: Set<string>;
  /** The results of the tool calls. */
  answers: string[];
  close(): Promise<void>;
}

interface Offer {
  name: string | undefined;
  namespace?: string;
}

/** An offered tool, or a group of tools that share a namespace. */
interface OfferedTool extends Offer {
  tools?: Offer[];
}

interface ModelRequest {
  stream?: boolean;
  tools?: OfferedTool[];
  messages?: { role: string; content: unknown }[];
  input?: { type: string; output?: unknown }[];
}

export async function startModelStub(wanted: string): Promise<ModelStub> {
  const offered = new Set<string>();
  const answers: string[] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url ?? '/', 'http://stub').pathname;
    // An agent that prefers WebSockets falls back to HTTP at once.
    if (request.headers.upgrade) return sendJson(response, 426, {});
    if (request.method !== 'POST') return sendJson(response, 404, {});
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as ModelRequest;
    const offers = listOffers(asked.tools ?? []);
    for (const { name } of offers) if (name) offered.add(name);
    // Some built-in tools of providers have a type and no name.
    const tool = offers.find(({ name }) => name === wanted || name?.endsWith(`__${wanted}`));
    if (path.endsWith('/v1/messages')) {
      const results = findToolResults(asked);
      answers.push(...results);
      const reply = tool && results.length === 0 ? anthropicCall(tool) : ANTHROPIC_TEXT;
      return asked.stream ? sendEvents(response, anthropicEvents(reply)) : sendJson(response, 200, reply);
    }
    if (path.endsWith('/responses')) {
      const results = (asked.input ?? []).filter(({ type }) => type === 'function_call_output');
      answers.push(...results.map(({ output }) => toText(output)));
      return sendEvents(
        response,
        openaiEvents(tool && results.length === 0 ? openaiCall(tool) : OPENAI_TEXT),
      );
    }
    return sendJson(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offered,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const listOffers = (tools: OfferedTool[]): Offer[] =>
  tools.flatMap(({ name, tools: inside }) =>
    inside ? inside.map((tool) => ({ name: tool.name, namespace: name })) : [{ name }],
  );

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const findToolResults = ({ messages = [] }: ModelRequest): string[] =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ content }) => toText(content));

const anthropicMessage = (content: object, stop_reason: string) => ({
  id: 'msg_stub',
  type: 'message',
  role: 'assistant',
  model: 'stub',
  content: [content],
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const ANTHROPIC_TEXT = anthropicMessage({ type: 'text', text: 'Done.' }, 'end_turn');
const anthropicCall = ({ name }: Offer) =>
  anthropicMessage({ type: 'tool_use', id: 'toolu_stub', name, input: {} }, 'tool_use');

function anthropicEvents(message: ReturnType<typeof anthropicMessage>): object[] {
  const [block] = message.content as { type: string; text?: string }[];
  const isText = block!.type === 'text';
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: isText ? { ...block, text: '' } : block },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: block!.text }
        : { type: 'input_json_delta', partial_json: '{}' },
    },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
}

const OPENAI_TEXT = {
  type: 'message',
  id: 'msg_stub',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
};
const openaiCall = ({ name, namespace }: Offer) => ({
  type: 'function_call',
  id: 'fc_stub',
  call_id: 'call_stub',
  name,
  ...(namespace && { namespace }),
  arguments: '{}',
});

function openaiEvents(item: object): object[] {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = { id: 'resp_stub', object: 'response', model: 'stub' };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ];
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendEvents(response: ServerResponse, events: object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    response.write(`event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
