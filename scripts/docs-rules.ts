import { posix } from 'node:path';

/** The rules' access to the repository. Paths are relative to it and use forward slashes. */
export interface Repository {
  exists(path: string): boolean;
  read(path: string): string;
}

/** Paths in examples, which need not exist here. */
const EXAMPLES = ['src/a.ts', 'src/billing.ts', 'src/billing/invoice-writer.ts'];

const FOLDERS = 'src|packages|tests|docs|scripts|sidecar|dashboard|deploy|client|cli|bench';
const NAMED_PATH = new RegExp(
  `\`((?:(?:${FOLDERS})/[^\`\\s]*|[\\w-][\\w.-]*(?:/[\\w.-]+)+\\.(?:tsx?|mjs|sql|sh)))\``,
  'g',
);
/** A path pattern or placeholder. */
const PATTERN = /[*<>{}…]|NNNN/;
const LINK = /\]\(([^)\s]+)\)/g;

/**
 * These package names are not registered by us, so installing them by name could run another person's code.
 */
const FROM_REGISTRY =
  /\bnpx (?:-y |--yes )?(?:guildhall|@guildhall\/client)\b|\bnpm (?:install|i|add) (?:-\S+ )*(?:guildhall(?:-cli)?|@guildhall\/client)(?![\w/-])/g;

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;

/** Reports paths and links in a document that do not exist. */
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

/** The headings of a document as link anchors. */
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

/** Reports commands that install Guildhall from the registry instead of from a release file or a checkout. */
export const inspectCommands = (path: string, text: string): string[] =>
  [...text.matchAll(FROM_REGISTRY)].map(
    ({ 0: command, index }) =>
      `${path}:${lineOf(text, index)} \`${command}\` fetches a name from the registry that is not ours; install a release file or run cli/bin/guildhall.mjs`,
  );
