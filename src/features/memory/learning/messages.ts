import { isObject } from '../../../kernel/is-object.js';
import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';

export interface Message {
  role: string;
  content: string;
  at: string | null;
}

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

/** PostgreSQL cannot store NUL or lone surrogates as text. */
const asText = (value: string): string => value.replaceAll('\0', '').toWellFormed();

const SPOKEN = new Set(['text', 'input_text', 'output_text']);

/** The text blocks of a message, without thoughts, tool calls and tool results. */
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

/** A line of a Claude Code session. Side conversations, notices and summaries are skipped. */
export const readClaudeCodeLine: LineReader = (line) => {
  if (!isObject(line) || (line['type'] !== 'user' && line['type'] !== 'assistant')) return undefined;
  if (line['isMeta'] === true || line['isSidechain'] === true || line['isCompactSummary'] === true)
    return undefined;
  const message = line['message'];
  if (!isObject(message)) return undefined;
  return spoken(line['type'], textOf(message['content']), asTime(line['timestamp']));
};

/** A line of an OpenClaw session. Tool results have their own role, settings and snapshots their own type. */
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

/** Text that Codex adds before the first message. */
const PUT_BEFORE = /^\s*<(?:environment_context|user_instructions|permissions)/;

/** A line of a Codex session: messages of the user and the assistant. */
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

/** System prompts and tool output are instructions and data, not statements. */
const LEARNED_ROLES = new Set(['user', 'assistant', 'human']);

/** Openings of system prompts that arrive under another role. */
const SYSTEM_PROMPT =
  /^\s*(?:#+\s*)?(?:you are (?:an?|the) (?:[\w-]+ ){0,6}(?:assistant|agent|model|ai|coder|bot)\b|system prompt\b|caveat: the messages below were generated|this session is being continued from a previous conversation|\[system)/i;

/** The messages that may be learned from, without text that the service itself wrote or returned. */
export function keepSpoken(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    if (!LEARNED_ROLES.has(message.role.toLowerCase()) || SYSTEM_PROMPT.test(message.content)) return [];
    const content = INJECTED.reduce((text, remove) => remove(text), message.content).trim();
    return content === '' ? [] : [{ ...message, content }];
  });
}

/**
 * Removes text that programs injected. Each step takes linear time: a regular expression that starts over at every opening would
 * block the event loop for a text made of openings.
 */
const INJECTED: readonly ((text: string) => string)[] = [
  (text) => withoutBlocks(text, literal(BEGIN_MARKER), () => literal(END_MARKER)),
  (text) => withoutTagged(text),
  withoutPastedYaml,
  withoutPastedJson,
  (text) => withoutBlocks(text, /```/g, () => /```/g),
];

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g');

/**
 * An unclosed block reaches to the end of the text. A block that starts at `until` or later is kept as text.
 */
function withoutBlocks(
  text: string,
  begin: RegExp,
  endOf: (begun: RegExpExecArray) => RegExp,
  until = text.length,
): string {
  let kept = '';
  let from = 0;
  for (;;) {
    begin.lastIndex = from;
    const begun = begin.exec(text);
    if (!begun || begun.index >= until) return kept + text.slice(from);
    kept += `${text.slice(from, begun.index)}\n`;
    const end = endOf(begun);
    end.lastIndex = begin.lastIndex;
    if (!end.exec(text)) return kept;
    from = end.lastIndex;
  }
}

const TAG =
  /<(system-reminder|system|memory|memories|guildhall-memory|relevant-memories|recalled-memories|context|local-command-stdout|local-command-caveat|command-name|command-message|command-args)\b/gi;

/** Removes tagged blocks; an incomplete tag is text. */
const withoutTagged = (text: string): string =>
  withoutBlocks(text, TAG, ([, name]) => new RegExp(`</${name}>`, 'gi'), text.lastIndexOf('>'));

const YAML_ITEM = /^[ \t-]/;

/** Removes a pasted answer of the search or recall route, as YAML. */
function withoutPastedYaml(text: string): string {
  if (!text.includes('memories:')) return text;
  const lines = text.split('\n');
  const kept: string[] = [];
  for (let i = 0; i < lines.length; ) {
    const end = lines[i]!.trimEnd() === 'memories:' ? endOfYaml(lines, i + 1) : i;
    if (end === i) kept.push(lines[i++]!);
    else i = end;
  }
  return kept.join('\n');
}

function endOfYaml(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (YAML_ITEM.test(lines[at]!) || lines[at]!.trim() === '')) at += 1;
  if (!lines.slice(from, at).some((line) => YAML_ITEM.test(line))) return from - 1;
  if (lines[at]?.startsWith('count: ')) at += 1;
  return lines[at]?.startsWith('agent_id: ') ? at + 1 : at;
}

const JSON_END = /"agent_id"\s*:\s*"[^"]*"\s*\}/g;

/** Removes a complete pasted answer, as JSON. */
function withoutPastedJson(text: string): string {
  const last = [...text.matchAll(JSON_END)].at(-1);
  return last ? withoutBlocks(text, /\{\s*"memories"\s*:\s*\[/g, () => JSON_END, last.index) : text;
}

const SECRET =
  /(?:\b(?:pass(?:word|phrase|wd)|secret|api[ _-]?key|access[ _-]?token|private[ _-]?key|bearer)\b\s*(?:is|=|:)\s*\S)|\b(?:(?:guild_(?:pat|desk)_|sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA)[A-Za-z0-9_.-]{8}|eyJ[A-Za-z0-9_.-]{18})|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;

/** Text with a secret must not become a memory. */
export const holdsSecret = (text: string): boolean => SECRET.test(text);
