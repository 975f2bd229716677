import { isObject } from '../../../kernel/is-object.js';

/** One thing said in a conversation. */
export interface Message {
  role: string;
  content: string;
  at: string | null;
}

/** Nobody says more at once; what is pasted behind it is not looked at. */
const LONGEST_CONTENT = 100_000;

export const withinLength = (message: Message): Message =>
  message.content.length <= LONGEST_CONTENT
    ? message
    : { ...message, content: message.content.slice(0, LONGEST_CONTENT).toWellFormed() };

const asTime = (value: unknown): string | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
};

/** What PostgreSQL cannot store as text never leaves a reader. */
const asText = (value: string): string => value.replaceAll('\0', '').toWellFormed();

/** What programs call a block that somebody said. */
const SPOKEN = new Set(['text', 'input_text', 'output_text']);

/** The spoken part of a message: text blocks, without thoughts, tool calls and what tools answered. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return asText(content);
  if (!Array.isArray(content)) return '';
  return asText(
    content
      .filter(
        (block) => isObject(block) && SPOKEN.has(String(block['type'])) && typeof block['text'] === 'string',
      )
      .map((block) => block.text as string)
      .join('\n'),
  );
}

export type LineReader = (line: unknown) => Message | undefined;

/** A line of a Claude Code session: side conversations, notices and summaries of itself are nobody's words. */
export const readClaudeCodeLine: LineReader = (line) => {
  if (!isObject(line) || (line['type'] !== 'user' && line['type'] !== 'assistant')) return undefined;
  if (line['isMeta'] === true || line['isSidechain'] === true || line['isCompactSummary'] === true)
    return undefined;
  const message = line['message'];
  if (!isObject(message)) return undefined;
  return spoken(line['type'], textOf(message['content']), asTime(line['timestamp']));
};

/** A line of an OpenClaw session: tool results have a role of their own, settings and snapshots a type of their own. */
export const readOpenClawLine: LineReader = (line) => {
  if (!isObject(line) || line['type'] !== 'message') return undefined;
  const message = line['message'];
  if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) return undefined;
  return spoken(
    message['role'],
    textOf(message['content']),
    asTime(line['timestamp'] ?? message['timestamp']),
  );
};

/** What Codex puts before the first word, as if somebody had said it. */
const PUT_BEFORE = /^\s*<(?:environment_context|user_instructions|permissions)/;

/** A line of a Codex session: the messages of its two speakers; what it tells itself has other types and roles. */
const readCodexLine: LineReader = (line) => {
  if (!isObject(line) || line['type'] !== 'response_item') return undefined;
  const payload = line['payload'];
  if (!isObject(payload) || payload['type'] !== 'message') return undefined;
  const { role } = payload;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const text = textOf(payload['content']);
  return PUT_BEFORE.test(text) ? undefined : spoken(role, text, asTime(line['timestamp']));
};

const spoken = (role: string, content: string, at: string | null): Message | undefined =>
  content.trim() === '' ? undefined : { role, content, at };

export const LINE_READERS: Record<'claude_code' | 'codex' | 'openclaw', LineReader> = {
  claude_code: readClaudeCodeLine,
  codex: readCodexLine,
  openclaw: readOpenClawLine,
};
