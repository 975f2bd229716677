const BY_ENDING = {
  ts: 'javascript',
  tsx: 'javascript',
  mts: 'javascript',
  cts: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  vue: 'javascript',
  svelte: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  kt: 'java',
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

export type ProgramLanguage = (typeof BY_ENDING)[keyof typeof BY_ENDING];

/** What a file is written in, of what is read here; by its name alone. */
export function programLanguageOf(path: string): ProgramLanguage | undefined {
  const ending = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(BY_ENDING, ending)
    ? BY_ENDING[ending as keyof typeof BY_ENDING]
    : undefined;
}
