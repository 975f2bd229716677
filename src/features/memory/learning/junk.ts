import { BEGIN_MARKER, END_MARKER } from '../export/markers.js';
import type { Message } from './messages.js';

/** Only people and their agents say things worth keeping; system prompts and tool output are instructions and data. */
const LEARNED_ROLES = new Set(['user', 'assistant', 'human']);

const quotePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What was put into the conversation instead of being said in it. Unclosed blocks reach to the end: better lost than learned. */
const INJECTED = [
  new RegExp(`${quotePattern(BEGIN_MARKER)}[\\s\\S]*?(?:${quotePattern(END_MARKER)}|$)`, 'g'),
  /<(system-reminder|system|memory|memories|guildhall-memory|relevant-memories|recalled-memories|context|local-command-stdout|local-command-caveat|command-name|command-message|command-args)\b[^>]*>[\s\S]*?(?:<\/\1>|$)/gi,
  // An answer of the search or recall route that was pasted in whole, as YAML or as JSON.
  /^memories:\s*\n(?:[ \t-]+.*\n?)+(?:count: \d+\s*\n?)?(?:agent_id: .*\n?)?/gm,
  /\{\s*"memories"\s*:\s*\[[\s\S]*?"agent_id"\s*:\s*"[^"]*"\s*\}/g,
  /```[\s\S]*?(?:```|$)/g,
];

/** How system prompts that arrive under another role begin. */
const SYSTEM_PROMPT =
  /^\s*(?:#+\s*)?(?:you are (?:an?|the) (?:[\w-]+ ){0,6}(?:assistant|agent|model|ai|coder|bot)\b|system prompt\b|caveat: the messages below were generated|this session is being continued from a previous conversation|\[system)/i;

/** The sayings of a conversation that may be learned from: what the service itself wrote down or handed out never comes back as new. */
export function keepSpoken(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    if (!LEARNED_ROLES.has(message.role.toLowerCase()) || SYSTEM_PROMPT.test(message.content)) return [];
    const content = INJECTED.reduce((text, pattern) => text.replace(pattern, '\n'), message.content).trim();
    return content === '' ? [] : [{ ...message, content }];
  });
}

const SECRET =
  /(?:\b(?:pass(?:word|phrase|wd)|secret|api[ _-]?key|access[ _-]?token|private[ _-]?key|bearer)\b\s*(?:is|=|:)\s*\S+)|\b(?:guild_(?:pat|desk)_|sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA|eyJ[A-Za-z0-9_-]{10,}\.)[A-Za-z0-9_.-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----/i;

/** A secret that slipped into a conversation must not be spread by remembering it. */
export const holdsSecret = (text: string): boolean => SECRET.test(text);
