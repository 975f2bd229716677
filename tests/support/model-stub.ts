import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool call of the model: either of the named tool, or of the tool that runs shell commands. */
export type ModelStep = { tool: string; input?: object } | { shell: string };

/**
 * Replaces a model: asks the agent to call the wanted tools one after the other, and records the results.
 * Supports the parts of each provider's streaming API that tool calls need.
 */
export interface ModelStub {
  url: string;
  /** The names of all offered tools, in the agent's spelling. */
  offered: Set<string>;
  /** The results of the tool calls. */
  answers: string[];
  close(): Promise<void>;
}

interface Schema {
  properties?: Record<string, { type?: string }>;
}

interface Offer {
  name: string | undefined;
  namespace?: string;
  schema?: Schema;
}

/** An offered tool, or a group of tools that share a namespace. */
interface OfferedTool {
  name?: string;
  input_schema?: Schema;
  parameters?: Schema;
  function?: OfferedTool;
  tools?: OfferedTool[];
  functionDeclarations?: (OfferedTool & { parametersJsonSchema?: Schema })[];
}

const SHELL = /^(bash|shell|shell_command|exec_command|run_shell_command)$/i;

interface ModelRequest {
  stream?: boolean;
  tools?: OfferedTool[];
  messages?: { role: string; content: unknown }[];
  input?: { type: string; output?: unknown }[];
  contents?: { parts?: { functionResponse?: unknown }[] }[];
}

export async function startModelStub(wanted: string | ModelStep[]): Promise<ModelStub> {
  const steps = typeof wanted === 'string' ? [{ tool: wanted }] : wanted;
  const offered = new Set<string>();
  const answers: string[] = [];

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url ?? '/', 'http://stub').pathname;
    // Makes an agent that prefers WebSockets fall back to HTTP at once.
    if (request.headers.upgrade) return sendJson(response, 426, {});
    if (request.method !== 'POST') return sendJson(response, 404, {});
    const body = Buffer.concat(chunks).toString('utf8');
    const asked = JSON.parse(body || '{}') as ModelRequest;
    // OpenCode enforces its step limit by asking the model to stop.
    const offers = body.includes('MAXIMUM STEPS REACHED') ? [] : listOffers(asked.tools ?? []);
    for (const { name } of offers) if (name) offered.add(name);
    if (path.endsWith('/v1/messages')) {
      const results = findToolResults(asked);
      answers.push(...results);
      const call = findCall(steps[results.length], offers);
      const reply = call ? anthropicCall(call, results.length) : ANTHROPIC_TEXT;
      return asked.stream ? sendEvents(response, anthropicEvents(reply)) : sendJson(response, 200, reply);
    }
    if (path.endsWith('/responses')) {
      const results = (asked.input ?? []).filter(({ type }) => type === 'function_call_output');
      answers.push(...results.map(({ output }) => toText(output)));
      const call = findCall(steps[results.length], offers);
      return sendEvents(response, openaiEvents(call ? openaiCall(call, results.length) : OPENAI_TEXT));
    }
    if (path.endsWith('/chat/completions')) {
      const results = (asked.messages ?? []).filter(({ role }) => role === 'tool');
      answers.push(...results.map(({ content }) => toText(content)));
      const call = findCall(steps[results.length], offers);
      const chunks = chatChunks(call, results.length);
      return asked.stream ? sendData(response, [...chunks, '[DONE]']) : sendJson(response, 404, {});
    }
    if (path.endsWith('GenerateContent') || path.endsWith('generateContent')) {
      const parts = (asked.contents ?? []).flatMap((content) => content.parts ?? []);
      const results = parts.filter(({ functionResponse }) => functionResponse !== undefined);
      answers.push(...results.map(toText));
      const reply = geminiReply(findCall(steps[results.length], offers));
      return path.includes(':stream') ? sendData(response, [reply]) : sendJson(response, 200, reply);
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

const listOffers = (tools: OfferedTool[], namespace?: string): Offer[] =>
  tools.flatMap((tool) => {
    if (tool.tools) return listOffers(tool.tools, tool.name);
    if (tool.function) return listOffers([tool.function]);
    if (tool.functionDeclarations)
      return tool.functionDeclarations.map(({ name, parametersJsonSchema, parameters }) => ({
        name,
        schema: parametersJsonSchema ?? parameters,
      }));
    const schema = tool.input_schema ?? tool.parameters;
    return [{ name: tool.name, ...(namespace && { namespace }), ...(schema && { schema }) }];
  });

interface Call extends Offer {
  input: object;
}

/** Undefined when no step is left or the agent does not offer the tool. */
function findCall(step: ModelStep | undefined, offers: Offer[]): Call | undefined {
  if (!step) return undefined;
  if ('tool' in step) {
    // Some built-in tools of a provider have only a type and no name.
    const offer = offers.find(({ name }) => name === step.tool || name?.endsWith(`_${step.tool}`));
    return offer && { ...offer, input: step.input ?? {} };
  }
  const offer = offers.find(({ name }) => SHELL.test(name ?? ''));
  return offer && { ...offer, input: shellInput(offer, step.shell) };
}

/** Each program names and types the command field differently. */
function shellInput({ schema }: Offer, command: string): object {
  const fields = schema?.properties ?? {};
  const [name, value] = fields['cmd']
    ? ['cmd', command]
    : ['command', fields['command']?.type === 'array' ? ['sh', '-c', command] : command];
  return { [name]: value, ...(fields['description'] && { description: 'Change the roof' }) };
}

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
const anthropicCall = ({ name, input }: Call, nth: number) =>
  anthropicMessage({ type: 'tool_use', id: `toolu_stub${nth}`, name, input }, 'tool_use');

function anthropicEvents(message: ReturnType<typeof anthropicMessage>): object[] {
  const [block] = message.content as { type: string; text?: string; input?: object }[];
  const isText = block!.type === 'text';
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: isText
        ? { type: 'text_delta', text: block!.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block!.input) },
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
const openaiCall = ({ name, namespace, input }: Call, nth: number) => ({
  type: 'function_call',
  id: `fc_stub${nth}`,
  call_id: `call_stub${nth}`,
  name,
  ...(namespace && { namespace }),
  arguments: JSON.stringify(input),
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

function chatChunks(call: Call | undefined, nth: number): object[] {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) => ({
    id: 'chat_stub',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'stub',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
  const usage = { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  if (!call) return [chunk({ role: 'assistant', content: 'Done.' }, null), chunk({}, 'stop', usage)];
  const wanted = { name: call.name, arguments: JSON.stringify(call.input) };
  const tool_calls = [{ index: 0, id: `call_stub${nth}`, type: 'function', function: wanted }];
  return [chunk({ role: 'assistant', tool_calls }, null), chunk({}, 'tool_calls', usage)];
}

const geminiReply = (call: Call | undefined) => ({
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [call ? { functionCall: { name: call.name, args: call.input } } : { text: 'Done.' }],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});

function sendData(response: ServerResponse, parts: (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts)
    response.write(`data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`);
  response.end();
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
