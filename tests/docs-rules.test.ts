import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inspectCommands, inspectDocument } from '../scripts/docs-rules.js';

const files: Record<string, string> = {
  'src/kernel/ids.ts': '',
  'docs/boards.md': '# Boards\n\n## Export & import\n\n```sh\n# not a heading\n```\n',
  'README.md': '',
};
const repository = { exists: (path: string) => path in files, read: (path: string) => files[path]! };
const inspect = (text: string) => inspectDocument('docs/guide.md', text, repository);

describe('A document', () => {
  it('may name existing files, examples, patterns and build outputs', () => {
    expect(
      inspect(
        'See `src/kernel/ids.ts`, `src/kernel/ids.ts#newId`, `src/kernel/ids.ts:12`, `src/billing.ts`, `src/**/*.ts`, `dist/src/main.js`, `src/database/migrations/NNNN_x.sql`.',
      ),
    ).toEqual([]);
  });

  it('is rejected if it names a path that does not exist, with or without its first folders', () => {
    expect(inspect('One\n`src/services/ids.ts` and `kernel/ids.ts`')).toEqual([
      'docs/guide.md:2 names src/services/ids.ts, which does not exist',
      'docs/guide.md:2 names kernel/ids.ts, which does not exist',
    ]);
  });

  it('may link to existing files and headings, and to other hosts', () => {
    expect(
      inspect(
        '# Here\n[a](boards.md) [b](boards.md#export--import) [c](#here) [d](../README.md) [e](https://x.example/y)',
      ),
    ).toEqual([]);
  });

  it('is rejected if it links to a file or heading that does not exist', () => {
    expect(inspect('[a](cards.md)\n[b](boards.md#not-a-heading)')).toEqual([
      'docs/guide.md:1 links to cards.md, which does not exist',
      'docs/guide.md:2 links to boards.md#not-a-heading, and docs/boards.md has no such heading',
    ]);
  });
});

describe('A command in a document', () => {
  it.each([
    'npm pack ./cli && npm install -g ./guildhall-cli-*.tgz',
    'npm install ./guildhall-client-0.2.0.tgz',
    'npx --package ./guildhall-[0-9]*.tgz -- guildhall serve',
    './cli/bin/guildhall.mjs serve',
    'helm install guildhall deploy/helm/guildhall',
    'npm install guildhall-tools',
  ])('may use local files: %s', (text) => {
    expect(inspectCommands('docs/install.md', text)).toEqual([]);
  });

  it.each([
    'npx guildhall serve',
    'npx -y guildhall hook session-start',
    'npx @guildhall/client',
    'npm install -g guildhall',
    'npm i guildhall-cli',
    'npm install --save-exact @guildhall/client',
  ])('must not fetch an unregistered package name: %s', (text) => {
    expect(inspectCommands('docs/install.md', `Run:\n${text}\n`)).toEqual([
      expect.stringMatching(/^docs\/install\.md:2 .* fetches a name from the registry that is not ours/),
    ]);
  });
});

it('docs/troubleshooting.md quotes only messages that exist in the sources', () => {
  const sources = execFileSync('git', ['grep', '-h', '', '--', 'src/*.ts', 'scripts/*.mjs'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  }).replaceAll('`', '');
  const quoted = [...readFileSync('docs/troubleshooting.md', 'utf8').matchAll(/^### .*?`([^`]+)`/gm)]
    .map(([, message]) => message!.replace(/ …$/, ''))
    .filter((message) => !/EADDRINUSE|Not logged in|^queued$|^lost$/.test(message));
  expect(quoted.length).toBeGreaterThan(15);
  expect(quoted.filter((message) => !sources.includes(message))).toEqual([]);
});
