import { BEGIN_MARKER, END_MARKER } from '../records/memory.record.js';
import type { Message } from './messages.js';

/** Only people and their agents say things worth keeping; system prompts and tool output are instructions and data. */
const LEARNED_ROLES = new Set(['user', 'assistant', 'human']);

/** How system prompts that arrive under another role begin. */
const SYSTEM_PROMPT =
  /^\s*(?:#+\s*)?(?:you are (?:an?|the) (?:[\w-]+ ){0,6}(?:assistant|agent|model|ai|coder|bot)\b|system prompt\b|caveat: the messages below were generated|this session is being continued from a previous conversation|\[system)/i;

/** The sayings of a conversation that may be learned from: what the service itself wrote down or handed out never comes back as new. */
export function keepSpoken(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    if (!LEARNED_ROLES.has(message.role.toLowerCase()) || SYSTEM_PROMPT.test(message.content)) return [];
    const content = INJECTED.reduce((text, remove) => remove(text), message.content).trim();
    return content === '' ? [] : [{ ...message, content }];
  });
}

/**
 * What was put into the conversation instead of being said in it. Each look goes through the text once, whatever stands in
 * it: a pattern that starts over at every opening would hold up the whole service for a text made of openings.
 */
const INJECTED: readonly ((text: string) => string)[] = [
  (text) => withoutBlocks(text, literal(BEGIN_MARKER), () => literal(END_MARKER)),
  (text) => withoutTagged(text),
  withoutPastedYaml,
  withoutPastedJson,
  (text) => withoutBlocks(text, /```/g, () => /```/g),
];

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g');

/** Unclosed blocks reach to the end: better lost than learned. What begins at `until` or later is text. */
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

/** What stands in the tags of programs; a tag that is never finished is text. */
const withoutTagged = (text: string): string =>
  withoutBlocks(text, TAG, ([, name]) => new RegExp(`</${name}>`, 'gi'), text.lastIndexOf('>'));

const YAML_ITEM = /^[ \t-]/;

/** An answer of the search or recall route that was pasted in whole, as YAML. */
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

/** Behind the items and the facts below them; where it began when there are no items. */
function endOfYaml(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (YAML_ITEM.test(lines[at]!) || lines[at]!.trim() === '')) at += 1;
  if (!lines.slice(from, at).some((line) => YAML_ITEM.test(line))) return from - 1;
  if (lines[at]?.startsWith('count: ')) at += 1;
  return lines[at]?.startsWith('agent_id: ') ? at + 1 : at;
}

const JSON_END = /"agent_id"\s*:\s*"[^"]*"\s*\}/g;

/** The same as JSON; one that breaks off is text. */
function withoutPastedJson(text: string): string {
  const last = [...text.matchAll(JSON_END)].at(-1);
  return last ? withoutBlocks(text, /\{\s*"memories"\s*:\s*\[/g, () => JSON_END, last.index) : text;
}

const SECRET =
  /(?:\b(?:pass(?:word|phrase|wd)|secret|api[ _-]?key|access[ _-]?token|private[ _-]?key|bearer)\b\s*(?:is|=|:)\s*\S)|\b(?:(?:guild_(?:pat|desk)_|sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA)[A-Za-z0-9_.-]{8}|eyJ[A-Za-z0-9_.-]{18})|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;

/** A secret that slipped into a conversation must not be spread by remembering it. */
export const holdsSecret = (text: string): boolean => SECRET.test(text);
