import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkout } from '../checkout.js';
import type { Edit } from './edit.js';

const LINE =
  'Guildhall holds the boards, lessons and memory of this repository: use its MCP tools, ask `find_lessons_near` before you edit and `recall_memories` before you begin.';

const lineIn = (path: string): Edit => ({
  path,
  add(text) {
    if (text !== null && linesOf(text).includes(LINE)) return text;
    if (text === null || text === '') return `${LINE}\n`;
    const end = text.includes('\r\n') ? '\r\n' : '\n';
    return `${text}${text.endsWith('\n') ? '' : end}${end}${LINE}${end}`;
  },
  remove(text) {
    if (text === null || !linesOf(text).includes(LINE)) return text;
    const at = text.indexOf(LINE);
    const before = text.slice(0, at).replace(/\r?\n$/, '');
    const rest = before + text.slice(at + LINE.length).replace(/^\r?\n/, '');
    return rest.trim() === '' ? null : rest;
  },
});

export const agentsMd: Edit = { ...lineIn('AGENTS.md'), shared: true };

/** An earlier version also wrote the line to CLAUDE.md; now it is only removed from there. */
export const claudeMd: Edit = { ...lineIn('CLAUDE.md'), add: (text) => text };

/** Claude Code reads AGENTS.md only if CLAUDE.md is missing or refers to it. */
export function adviseReading({ root }: Checkout): string | undefined {
  const [own, shared] = [claudeMd.path, agentsMd.path].map((path) => join(root, path));
  if (!existsSync(own!) || realpathSync(own!) === realpathSync(shared!)) return undefined;
  if (readFileSync(own!, 'utf8').includes(agentsMd.path)) return undefined;
  return `Claude Code reads ${claudeMd.path} here and not ${agentsMd.path}. Add the line @${agentsMd.path} to ${claudeMd.path}.`;
}

const linesOf = (text: string) => text.split(/\r?\n/);
