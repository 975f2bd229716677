import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Speaks the Agent Client Protocol without its package, so that it can violate the protocol. The argument is
 * JSON with lists of steps `{<name>: <value>}`. Received messages are written to the file that `SEEN` names.
 */
const script = JSON.parse(process.argv[2] ?? '{}');
const seen = [];
const waiting = new Map();
let nextId = 1;
let canceled = () => {};

const raw = (text) => process.stdout.write(text);
const send = (message) => raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `agent-${nextId++}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const steps = {
  say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
  update,
  whisper: (text) =>
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, 'a-child'),
  raw,
  repeat: ([text, times]) => raw(text.repeat(times)),
  pause,
  write: ([name, text]) => writeFileSync(name, text),
  permission: ({ sessionId = 'session-1', title = 'Run rm', kinds = ['allow_once', 'reject_once'] }) =>
    ask('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'call-1', title },
      options: kinds.map((kind) => ({ optionId: kind, name: kind, kind })),
    }),
  child: () => spawn('sleep', ['1000'], { stdio: 'ignore', detached: true }).unref(),
  exit: (code) => process.exit(code),
  untilCanceled: () =>
    new Promise((resolve) => {
      canceled = resolve;
    }),
  forever: () => new Promise(() => {}),
};

function update(content, sessionId = 'session-1') {
  send({ method: 'session/update', params: { sessionId, update: content } });
}

async function play(list) {
  for (const step of list ?? []) for (const [word, value] of Object.entries(step)) await steps[word](value);
}

let prompts = 0;
let isLoggedIn = false;
const methods = {
  async initialize() {
    await play(script.atStart);
    return {
      protocolVersion: script.version ?? 1,
      agentInfo: { name: 'scripted', version: '1.2.3' },
      authMethods: script.logins,
      agentCapabilities: { mcpCapabilities: { http: script.http ?? true } },
    };
  },
  authenticate() {
    isLoggedIn = true;
    return {};
  },
  async 'session/new'() {
    await play(script.atSession);
    if (script.logins && !isLoggedIn) throw { code: -32000, message: 'Authentication required' };
    return { sessionId: 'session-1', configOptions: script.options };
  },
  'session/set_config_option': () => ({ configOptions: [] }),
  async 'session/prompt'() {
    prompts += 1;
    await play(prompts === 1 ? script.atPrompt : script.atNextPrompt);
    return { stopReason: script.stopReason ?? 'end_turn', ...(script.usage && { usage: script.usage }) };
  },
};

if (script.ignoresSignals) process.on('SIGTERM', () => {});

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  seen.push(message);
  if (process.env.SEEN) writeFileSync(process.env.SEEN, JSON.stringify(seen));
  if (message.method === 'session/cancel') {
    if (!script.ignoresSignals) {
      script.stopReason = 'cancelled';
      canceled();
    }
  } else if (message.method)
    Promise.resolve(methods[message.method](message.params)).then(
      (result) => send({ id: message.id, result }),
      (error) => send({ id: message.id, error }),
    );
  else waiting.get(message.id)?.(message.result);
});
