import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Findings, inspectProse, type Passage, readMarkdown, readSource } from './prose-rules.js';

/** The maximum number of listed phrases per 1,000 words, by kind of text. Never raise a limit. */
const LIMITS: Record<string, number> = {
  docs: 1,
  'interface texts': 1,
  'page copy': 1,
  'command line': 1,
  decisions: 1.5,
  messages: 1.5,
  comments: 2,
  'test names': 2,
};

const wanted = process.argv.slice(2);
const kinds = new Map<string, { words: number; hits: string[] }>();

function add(kind: string, path: string, { words, hits }: Findings): void {
  const known = kinds.get(kind) ?? { words: 0, hits: [] };
  kinds.set(kind, known);
  known.words += words;
  for (const { line, phrase, instead } of hits) {
    known.hits.push(`${path}:${line} [${kind}] "${phrase}" (${instead})`);
  }
}

function listFiles(): string[] {
  const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return all
    .split('\n')
    .filter((path) => path && (wanted.length === 0 || wanted.some((at) => path.startsWith(at))));
}

function kindOfTexts(path: string): string | undefined {
  if (path.startsWith('dashboard/')) return 'page copy';
  if (path.startsWith('cli/')) return 'command line';
  return path.startsWith('src/') || path.startsWith('sidecar/') ? 'messages' : undefined;
}

function inspectSource(path: string): void {
  const { comments, testNames, texts } = readSource(path, readFileSync(path, 'utf8'));
  add('comments', path, inspectProse(comments));
  add('test names', path, inspectProse(testNames));
  const kind = /\.test\.tsx?$|^tests\/|^src\/demo\//.test(path) ? undefined : kindOfTexts(path);
  if (kind) add(kind, path, inspectProse(texts));
}

function* describedIn(value: unknown, at: string): Generator<Passage & { at: string }> {
  if (value === null || typeof value !== 'object') return;
  for (const [key, child] of Object.entries(value)) {
    if ((key === 'summary' || key === 'description') && typeof child === 'string') {
      yield { at, line: 1, text: child.replace(/`[^`]*`/g, 'X') };
    } else yield* describedIn(child, `${at}/${key}`);
  }
}

for (const path of listFiles()) {
  if (path.includes('.generated.') || path.startsWith('client/src/areas')) continue;
  if (/\.(ts|tsx|mts|mjs)$/.test(path)) inspectSource(path);
  else if (path === 'openapi.json') {
    for (const { at, ...passage } of describedIn(JSON.parse(readFileSync(path, 'utf8')), '')) {
      add('interface texts', at, inspectProse([passage]));
    }
  } else if (path.startsWith('docs/adr/') && path.endsWith('.md')) {
    add('decisions', path, inspectProse(readMarkdown(readFileSync(path, 'utf8'))));
  } else if (path.endsWith('.md') && !path.startsWith('tests/')) {
    add('docs', path, inspectProse(readMarkdown(readFileSync(path, 'utf8'))));
  }
}

for (const [kind, { words, hits }] of kinds) {
  const per1000 = words === 0 ? 0 : (hits.length * 1000) / words;
  const limit = LIMITS[kind]!;
  const over = per1000 > limit;
  if (over && wanted.length === 0) process.exitCode = 1;
  if (over || wanted.length > 0) for (const hit of hits) console.log(hit);
  console.log(
    `${over ? 'over ' : 'ok   '} ${kind}: ${per1000.toFixed(2)} in 1,000 words (limit ${limit}), ${hits.length} of ${words}`,
  );
}
