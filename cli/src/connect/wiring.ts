import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Checkout } from '../checkout.js';
import { broken } from '../failure.js';
import type { Program } from '../hooks/event.js';
import { agentsMd, claudeMd } from './agents-md.js';
import { codexToml } from './codex-toml.js';
import type { Edit, Place } from './edit.js';
import { hooksJson } from './hooks-json.js';
import { mcpJson } from './mcp-json.js';

const EDITS: Record<Program, Edit[]> = {
  claude: [mcpJson, hooksJson('claude'), agentsMd],
  codex: [codexToml, hooksJson('codex'), agentsMd],
};

/** Includes CLAUDE.md, which an earlier version edited, unless it is a link to or from AGENTS.md. */
function editsToUndo(checkout: Checkout, program: Program): Edit[] {
  const wasEdited =
    program === 'claude' &&
    existsSync(join(checkout.root, claudeMd.path)) &&
    !isOneFile(checkout, claudeMd.path, agentsMd.path);
  return wasEdited ? [...EDITS[program], claudeMd] : EDITS[program];
}

function isOneFile({ root }: Checkout, one: string, other: string): boolean {
  try {
    return (
      [one, other].some((path) => isLink(join(root, path))) && resolveIn(root, one) === resolveIn(root, other)
    );
  } catch {
    return false;
  }
}

/** Resolves a link even when its target does not exist. */
function resolveIn(root: string, path: string): string {
  const file = join(root, path);
  if (!isLink(file)) return join(realpathSync(root), path);
  return resolve(realpathSync(root), dirname(path), readlinkSync(file));
}

/**
 * The original contents, so that --undo restores every byte. Kept in the git folder, outside the work tree.
 */
type Ledger = Record<string, { before: string | null; after: string }>;

export interface Change {
  path: string;
  change: 'created' | 'changed' | 'removed' | 'unchanged';
}

/** Plans all changes before writing any, so that an unreadable file leaves everything unchanged. */
export function connect(checkout: Checkout, program: Program, place: Place): Change[] {
  const ledger = readLedger(checkout);
  const planned = EDITS[program].map((edit) => {
    const before = readFile(checkout, edit.path);
    return { path: edit.path, before, after: edit.add(before, place) };
  });
  for (const { path, before, after } of planned) {
    if (after === before || after === null) continue;
    const known = ledger[path];
    // Our own earlier output is not the original content.
    ledger[path] = { before: known && known.after === before ? known.before : before, after };
  }
  return apply(checkout, planned, ledger);
}

export function disconnect(checkout: Checkout, program: Program): Change[] {
  const ledger = readLedger(checkout);
  const other = program === 'claude' ? 'codex' : 'claude';
  const planned = editsToUndo(checkout, program).map((edit) => {
    const before = readFile(checkout, edit.path);
    if (edit.shared && isConnected(checkout, other)) return { path: edit.path, before, after: before };
    const known = ledger[edit.path];
    delete ledger[edit.path];
    const isOurs = known !== undefined && known.after === before;
    return { path: edit.path, before, after: isOurs ? known.before : edit.remove(before) };
  });
  if (program === 'claude') delete ledger[claudeMd.path];
  return apply(checkout, planned, ledger).filter(
    ({ path, change }) => path !== claudeMd.path || change !== 'unchanged',
  );
}

/** A program is connected while one of its own files (not AGENTS.md) has our entry. */
export const isConnected = (checkout: Checkout, program: Program): boolean =>
  EDITS[program]
    .filter(({ shared }) => !shared)
    .some((edit) => {
      const text = readFile(checkout, edit.path);
      return text !== null && edit.remove(text) !== text;
    });

/** Lists the files that connecting again would change. */
export const listUnwired = (checkout: Checkout, program: Program, url: string): string[] =>
  EDITS[program]
    .filter((edit) => {
      const text = readFile(checkout, edit.path);
      return (['token', 'bridge'] as const).every((way) => edit.add(text, { url, way }) !== text);
    })
    .map(({ path }) => path);

/** Returns how the files authenticate: with GUILDHALL_TOKEN or through the bridge. */
export const readWay = (checkout: Checkout, program: Program): Place['way'] =>
  EDITS[program].some((edit) => readFile(checkout, edit.path)?.includes('GUILDHALL_TOKEN'))
    ? 'token'
    : 'bridge';

interface Planned {
  path: string;
  before: string | null;
  after: string | null;
}

function apply(checkout: Checkout, planned: Planned[], ledger: Ledger): Change[] {
  const changed = planned.filter(({ before, after }) => before !== after);
  if (changed.length > 0) writeLedger(checkout, ledger);
  for (const { path, after } of changed) {
    const file = join(checkout.root, path);
    if (after === null && !isLink(file)) removeFile(checkout, file);
    else if (after === null) writeFileSync(file, '');
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, after);
    }
  }
  return planned.map(({ path, before, after }) => ({ path, change: nameChange(before, after) }));
}

const nameChange = (before: string | null, after: string | null): Change['change'] =>
  before === after ? 'unchanged' : before === null ? 'created' : after === null ? 'removed' : 'changed';

/** Refuses files that are not UTF-8, because writing them back would change other bytes. */
function readFile({ root }: Checkout, path: string): string | null {
  const file = join(root, path);
  for (const each of [join(root, dirname(path)), file])
    if (each !== root && isLink(each) && !leadsInto(root, each))
      throw broken(
        `${path} is a link that points outside of the repository or to a missing file`,
        'Only files in the repository can be edited. Nothing was changed.',
      );
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw broken(`${path} is not UTF-8`, 'Nothing was changed.');
  return text;
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Links within the repository are allowed: CLAUDE.md and AGENTS.md are often one file. */
function leadsInto(root: string, link: string): boolean {
  if (!existsSync(link)) return false;
  const [first] = relative(realpathSync(root), realpathSync(link)).split(sep);
  return first !== '' && first !== '..' && first !== '.git' && !isAbsolute(first!);
}

function removeFile({ root }: Checkout, file: string): void {
  rmSync(file, { force: true });
  const folder = dirname(file);
  if (folder === root) return;
  try {
    rmdirSync(folder);
  } catch {
    // The folder holds other files.
  }
}

const ledgerPath = ({ gitFolder }: Checkout) => join(gitFolder, 'guildhall', 'connect.json');

function readLedger(checkout: Checkout): Ledger {
  try {
    return JSON.parse(readFileSync(ledgerPath(checkout), 'utf8')) as Ledger;
  } catch {
    return {};
  }
}

function writeLedger(checkout: Checkout, ledger: Ledger): void {
  const path = ledgerPath(checkout);
  if (Object.keys(ledger).length === 0) {
    rmSync(dirname(path), { recursive: true, force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(ledger)}\n`);
}
