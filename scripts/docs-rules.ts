import { posix } from 'node:path';

/** What the rules ask about the repository; paths are relative to it and use forward slashes. */
export interface Repository {
  exists(path: string): boolean;
  read(path: string): string;
}

/** Places in examples, which are somebody else's. */
const EXAMPLES = ['src/a.ts', 'src/billing.ts', 'src/billing/invoice-writer.ts'];

const FOLDERS = 'src|packages|tests|docs|scripts|sidecar|dashboard|deploy|client|cli|bench';
const NAMED_PATH = new RegExp(
  `\`((?:(?:${FOLDERS})/[^\`\\s]*|[\\w-][\\w.-]*(?:/[\\w.-]+)+\\.(?:tsx?|mjs|sql|sh)))\``,
  'g',
);
/** What stands for many files, or for one that the reader makes. */
const PATTERN = /[*<>{}…]|NNNN/;
const LINK = /\]\(([^)\s]+)\)/g;

/** Nobody has registered these names: an installation by name fetches what somebody else may put there. */
const FROM_REGISTRY =
  /\bnpx (?:-y |--yes )?(?:guildhall|@guildhall\/client)\b|\bnpm (?:install|i|add) (?:-\S+ )*(?:guildhall(?:-cli)?|@guildhall\/client)(?![\w/-])/g;

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;

/** Paths that a document names and links that it has must lead somewhere. */
export function inspectDocument(path: string, text: string, repository: Repository): string[] {
  const faults: string[] = [];
  const add = (at: number | undefined, what: string) =>
    faults.push(`${path}:${lineOf(text, at ?? 0)} ${what}`);
  for (const { 1: named = '', index } of text.matchAll(NAMED_PATH)) {
    const file = named.replace(/[#:].*$/, '');
    if (PATTERN.test(named) || EXAMPLES.includes(file) || repository.exists(file)) continue;
    add(index, `names ${file}, which does not exist`);
  }
  for (const { 1: link = '', index } of text.matchAll(LINK)) {
    const [file = '', anchor] = link.split('#');
    if (/^(?:\w+:|\/)/.test(link)) continue;
    const isOwn = file === '';
    const target = isOwn ? path : posix.join(posix.dirname(path), file);
    if (!isOwn && !repository.exists(target)) add(index, `links to ${link}, which does not exist`);
    else if (
      anchor &&
      target.endsWith('.md') &&
      !listAnchors(isOwn ? text : repository.read(target)).has(anchor)
    )
      add(index, `links to ${link}, and ${target} has no such heading`);
  }
  return faults;
}

/** The headings of a document, as a link names them. */
function listAnchors(text: string): Set<string> {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

/** Commands are installed from a release file or run from a checkout. */
export const inspectCommands = (path: string, text: string): string[] =>
  [...text.matchAll(FROM_REGISTRY)].map(
    ({ 0: command, index }) =>
      `${path}:${lineOf(text, index)} \`${command}\` fetches a name from the registry that is not ours; install a release file or run cli/bin/guildhall.mjs`,
  );
