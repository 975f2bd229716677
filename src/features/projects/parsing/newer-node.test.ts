import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findAgentProgram } from '../../../../tests/support/agent-programs.js';
import { root } from '../../../../tests/support/build.js';
import { extractJavaScript } from './javascript.js';

const newerNode = findAgentProgram('newerNode');
const module = join(root, 'dist/modules/src/features/projects/parsing/javascript.js');
const program = `
  import { rawTransferSupported } from 'oxc-parser';
  const { extractJavaScript } = await import(process.argv[1]);
  const sources = JSON.parse(await new Response(process.stdin).text());
  const facts = sources.map(([path, source]) => extractJavaScript(path, source));
  console.log(JSON.stringify({ fromMemory: rawTransferSupported(), facts }));
`;

const sources = [
  ['own.ts', readFileSync(join(root, 'src/features/projects/parsing/javascript.ts'), 'utf8')],
  ['this.ts', readFileSync(fileURLToPath(import.meta.url), 'utf8')],
  [
    'beyond-ascii.ts',
    'const smile = "\u{1F600}é";\nexport function find() { return /é/u.test(smile) && 10n; }\n',
  ],
  ['marked.ts', '\uFEFFexport class Marked extends Base { get name() { return other(); } }'],
  [
    'page.tsx',
    'export const Page = () => <Frame title="é">{items.map((item) => <Row {...item} />)}</Frame>;',
  ],
  ['broken.ts', 'export function whole() { called(); }\nexport class {'],
  ['empty.js', ''],
];

describe.skipIf(!newerNode)("a newer Node, which takes the tree out of the parser's memory", () => {
  it.each([
    ['reads the same', []],
    ['reads the same where the system does not give that much away', ['ulimit -v 6000000;']],
  ])('%s', (_, before) => {
    const command = [...before, 'exec "$@"'].join(' ');
    const output = execFileSync(
      'bash',
      ['-c', command, '--', newerNode!, '--input-type=module', '-e', program, module],
      { cwd: root, input: JSON.stringify(sources), encoding: 'utf8' },
    );
    const here = sources.map(([path, source]) => extractJavaScript(path!, source!));
    expect(JSON.parse(output)).toEqual({ fromMemory: true, facts: JSON.parse(JSON.stringify(here)) });
  });
});
