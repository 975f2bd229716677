import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParserOptions, parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { findAgentProgram } from '../../../tests/support/agent-programs.js';
import { root } from '../../../tests/support/build.js';
import { extractJavaScript } from './javascript.js';
import { readSource } from './source-text.js';
import { readTree } from './tree-from-memory.js';

const sources: [path: string, lang: ParserOptions['lang'], source: string][] = [
  ['own.ts', 'ts', readFileSync(join(root, 'src/code/parsing/javascript.ts'), 'utf8')],
  ['this.ts', 'ts', readFileSync(fileURLToPath(import.meta.url), 'utf8')],
  [
    'beyond-ascii.ts',
    'ts',
    'const smile = "\u{1F600}é";\nexport function find() { return /é/u.test(smile) && 10n; }\n',
  ],
  ['marked.ts', 'ts', '\uFEFFexport class Marked extends Base { get name() { return other(); } }'],
  [
    'page.tsx',
    'tsx',
    'export const Page = () => <Frame title="é">{items.map((item) => <Row {...item} />)}</Frame>;',
  ],
  ['program.js', 'jsx', '#!/usr/bin/env node\n// says é\nrun();\n'],
  ['broken.ts', 'ts', 'export function whole() { called(); }\nexport class {'],
  ['empty.js', 'jsx', ''],
];
const asSource = (text: string) => readSource(Buffer.from(text));
const facts = () => sources.map(([path, , source]) => extractJavaScript(path, asSource(source)));

describe("a tree out of the parser's memory", () => {
  it.each(sources)('%s is as the parser tells it otherwise', (path, lang, source) => {
    const options: ParserOptions = { lang, sourceType: 'unambiguous', preserveParens: false };
    const { program, comments } = parseSync(path, asSource(source).text, options);
    expect(readTree(path, asSource(source), options)).toEqual({ program, comments });
  });

  it('is not had of code that is nested too deep; what can be had of it is told all the same', () => {
    const options: ParserOptions = { lang: 'ts' };
    const deep = `export function whole() {}\nexport const deep = ${'!'.repeat(20_000)}1;`;
    expect(readTree('deep.ts', asSource(deep), options)).toBeUndefined();
    expect(readTree('next.ts', asSource('next()'), options)?.program.body).toHaveLength(1);
  });
});

describe('another process', () => {
  const modules = join(root, 'dist/modules/src/code/parsing');
  const program = `
    import { readFileSync } from 'node:fs';
    const [{ extractJavaScript }, { readTree }, { readSource }] = await Promise.all(
      ['javascript', 'tree-from-memory', 'source-text'].map((name) => import(process.argv[1] + '/' + name + '.js')),
    );
    const asSource = (text) => readSource(Buffer.from(text));
    const sources = JSON.parse(readFileSync(0, 'utf8'));
    const facts = sources.map(([path, , source]) => extractJavaScript(path, asSource(source)));
    console.log(JSON.stringify({ fromMemory: readTree('a.js', asSource(''), {}) !== undefined, facts }));
  `;
  const read = (node: string, before = '') =>
    JSON.parse(
      execFileSync(
        'bash',
        ['-c', `${before} exec "$@"`, '--', node, '--input-type=module', '-e', program, modules],
        { cwd: root, input: JSON.stringify(sources), encoding: 'utf8' },
      ),
    );
  const here = () => JSON.parse(JSON.stringify(facts()));

  it('reads the same where the system does not give that much away', () => {
    expect(read(process.execPath, 'ulimit -v 6000000;')).toEqual({ fromMemory: false, facts: here() });
  });

  const newerNode = findAgentProgram('newerNode');
  it.skipIf(!newerNode)('reads the same with a newer Node', () => {
    expect(read(newerNode!)).toEqual({ fromMemory: true, facts: here() });
  });
});
