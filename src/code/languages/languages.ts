import { isGeneratedSource } from './file-kinds.js';

/** By the ending of a file's name. */
const WITH_PARSER = {
  ts: 'javascript',
  tsx: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  rb: 'ruby',
  rake: 'ruby',
  php: 'php',
  c: 'c',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  hxx: 'cpp',
  cs: 'c_sharp',
} as const;

/** The analysis of diffs reads these too: it needs no parser. */
const WITHOUT_PARSER = { vue: 'javascript', svelte: 'javascript', kt: 'java' } as const;

export type ProgramLanguage = (typeof WITH_PARSER)[keyof typeof WITH_PARSER];
export type Language = ProgramLanguage | 'manifest';

const parsed = new Map<string, ProgramLanguage>(Object.entries(WITH_PARSER));
const analyzed = new Map<string, ProgramLanguage>([...parsed, ...Object.entries(WITHOUT_PARSER)]);

const MANIFEST = /^(package\.json|[tj]sconfig(\.[\w-]+)*\.json|go\.mod|Cargo\.toml)$/;
const endingOf = (path: string): string => /[^/]\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** The language that the project index parses a file in. */
export function languageOf(path: string): Language | undefined {
  const language = parsed.get(endingOf(path));
  if (language) return isGeneratedSource(path) ? undefined : language;
  return MANIFEST.test(path.slice(path.lastIndexOf('/') + 1)) ? 'manifest' : undefined;
}

/** The language that the analysis of diffs reads a file in. */
export const programLanguageOf = (path: string): ProgramLanguage | undefined => analyzed.get(endingOf(path));
