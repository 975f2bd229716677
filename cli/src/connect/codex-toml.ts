import { broken } from '../failure.js';
import { bridgeTo, type Edit } from './edit.js';

const HEADING = '[mcp_servers.guildhall]';
const OWN_TABLE = /^\s*\[\s*mcp_servers\s*\.\s*["']?guildhall["']?\s*(\.|\])/;
/** Other TOML spellings of the same table. Adding a second one would make the file invalid. */
const INLINE = /^\s*(mcp_servers\s*\.\s*)?["']?guildhall["']?\s*(=|\.)/;

/** Edits `.codex/config.toml` as text, to keep the owner's comments and order. */
export const codexToml: Edit = {
  path: '.codex/config.toml',
  add(text, { url, way }) {
    const end = text?.includes('\r\n') ? '\r\n' : '\n';
    const { command, args } = bridgeTo(url, 'codex');
    const entry =
      way === 'token'
        ? [`url = ${JSON.stringify(`${url}/mcp`)}`, 'bearer_token_env_var = "GUILDHALL_TOKEN"']
        : [
            `command = ${JSON.stringify(command)}`,
            `args = [${args.map((each) => JSON.stringify(each)).join(', ')}]`,
          ];
    const block = [HEADING, ...entry, ''].join(end);
    const { before, own, after } = takeApart(text ?? '');
    if (own.trimEnd() === block.trimEnd()) return text;
    if (own !== '') return `${before}${block}${after === '' ? '' : `${end}${after}`}`;
    if (saysInline(text ?? ''))
      throw broken(
        `${this.path} already defines mcp_servers.guildhall`,
        'Remove that entry and try again. Nothing was changed.',
      );
    const start = text ?? '';
    const gap = start === '' ? '' : start.endsWith('\n') ? end : end + end;
    return `${start}${gap}${block}`;
  },
  remove(text) {
    const { before, own, after } = takeApart(text ?? '');
    if (own === '') return text;
    const rest = after === '' ? before.replace(/(\r?\n)\r?\n$/, '$1') : before + after;
    return rest.trim() === '' ? null : rest;
  },
};

/** Splits off our table, from its heading to the next heading that is not nested under it. */
function takeApart(text: string): { before: string; own: string; after: string } {
  const lines = text.split(/(?<=\n)/);
  const start = lines.findIndex((line) => OWN_TABLE.test(line));
  if (start === -1) return { before: text, own: '', after: '' };
  const length = lines.slice(start).findIndex((line) => /^\s*\[/.test(line) && !OWN_TABLE.test(line));
  let end = length === -1 ? lines.length : start + length;
  // A comment directly above a heading belongs to that heading.
  while (end < lines.length && end > start + 1 && /^\s*#/.test(lines[end - 1]!)) end -= 1;
  return {
    before: lines.slice(0, start).join(''),
    own: lines.slice(start, end).join(''),
    after: lines.slice(end).join(''),
  };
}

function saysInline(text: string): boolean {
  let table = '';
  for (const line of text.split('\n')) {
    const [, heading] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (heading !== undefined) table = heading.replace(/\s|["']/g, '');
    else if (INLINE.test(line) && (table === 'mcp_servers' || (table === '' && /^\s*mcp_servers/.test(line))))
      return true;
  }
  return false;
}
