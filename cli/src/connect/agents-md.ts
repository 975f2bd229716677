import type { Edit } from './edit.js';

const LINE =
  'Guildhall holds the boards, lessons and memory of this repository: use its MCP tools, ask `find_lessons_near` before you edit and `recall_memories` before you begin.';

/** The other file, told to be read as part of this one. */
const IMPORT = /(?:^|\s)@(?:\.\/)?AGENTS\.md(?=\s|$)/m;

const lineIn = (path: string): Edit => ({
  path,
  add(text) {
    if (text !== null && (linesOf(text).includes(LINE) || IMPORT.test(text))) return text;
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

/** One line, for every program that reads the file. */
export const agentsMd: Edit = { ...lineIn('AGENTS.md'), shared: true };

/** Claude Code reads this one and not the other, unless it is told to. */
export const claudeMd: Edit = lineIn('CLAUDE.md');

const linesOf = (text: string) => text.split(/\r?\n/);
