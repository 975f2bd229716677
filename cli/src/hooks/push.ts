import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Hook, isObject } from './event.js';

interface Message {
  role: string;
  content: string;
  at?: string;
}

/** Larger transcripts consist mostly of pasted files. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_MESSAGES = 10_000;
const LONGEST_MESSAGE = 20_000;
/** The service's limit for a request body in bytes, minus space for the JSON around the messages. */
const MOST_SENT = 2 * 1024 * 1024 - 16 * 1024;

/**
 * At the end of a session, sends the conversation to the agent's memory. A repeated call adds new messages.
 */
export const pushConversation: Hook = async (context) => {
  const { program, signal } = context;
  const { session_id, transcript_path } = context.said;
  if (!session_id || !transcript_path) return undefined;
  const messages = readTranscript(transcript_path);
  if (messages.length === 0) return undefined;
  const source_type = program === 'claude' ? 'claude_code' : 'codex';
  await context.service.client.pushConversation(
    { agent_id: await context.agentId(), source_type, external_id: session_id.slice(0, 500), messages },
    { signal },
  );
  return undefined;
};

/** Reads the start of a long transcript, which stays the same from push to push. */
export function readTranscript(path: string): Message[] {
  const { size } = statSync(path);
  const buffer = Buffer.alloc(Math.min(size, MOST_BYTES));
  const file = openSync(path, 'r');
  let bytes = 0;
  try {
    for (let read = -1; read !== 0 && bytes < buffer.length; bytes += read)
      read = readSync(file, buffer, bytes, buffer.length - bytes, bytes);
  } finally {
    closeSync(file);
  }
  const text = buffer.toString('utf8', 0, bytes);
  const messages: Message[] = [];
  let room = MOST_SENT;
  for (const line of text.split('\n')) {
    const message = line.startsWith('{') ? readLine(line) : undefined;
    if (!message) continue;
    room -= Buffer.byteLength(JSON.stringify(message)) + 1;
    if (room < 0 || messages.length >= MOST_MESSAGES) break;
    messages.push(message);
  }
  return messages;
}

function readLine(line: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  return readClaudeLine(value) ?? readCodexLine(value);
}

/** Skips side conversations, notices and summaries, which neither the user nor the assistant wrote. */
function readClaudeLine(line: Record<string, unknown>): Message | undefined {
  if (line['type'] !== 'user' && line['type'] !== 'assistant') return undefined;
  if (line['isMeta'] === true || line['isSidechain'] === true || line['isCompactSummary'] === true)
    return undefined;
  const { message } = line;
  return isObject(message) ? spoken(line['type'], message['content'], line['timestamp']) : undefined;
}

function readCodexLine(line: Record<string, unknown>): Message | undefined {
  const { payload } = line;
  if (line['type'] !== 'response_item' || !isObject(payload) || payload['type'] !== 'message')
    return undefined;
  const { role } = payload;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const message = spoken(role, payload['content'], line['timestamp']);
  // Skips the context that Codex adds as a user message before the first prompt.
  return message && /^<(environment_context|user_instructions|permissions)/.test(message.content)
    ? undefined
    : message;
}

function spoken(role: string, content: unknown, at: unknown): Message | undefined {
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  const text = blocks
    .filter(
      (block) => isObject(block) && ['text', 'input_text', 'output_text'].includes(String(block['type'])),
    )
    .map((block) => String((block as { text?: unknown }).text ?? ''))
    .join('\n')
    .replaceAll('\0', '')
    .trim()
    .slice(0, LONGEST_MESSAGE)
    .toWellFormed();
  if (text === '') return undefined;
  return { role, content: text, ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }) };
}
