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

describe('a document', () => {
  it('may name files that exist, examples, patterns and build outputs', () => {
    expect(
      inspect(
        'See `src/kernel/ids.ts`, `src/kernel/ids.ts#newId`, `src/kernel/ids.ts:12`, `src/billing.ts`, `src/**/*.ts`, `dist/src/main.js`, `src/database/migrations/NNNN_x.sql`.',
      ),
    ).toEqual([]);
  });

  it('is refused for a path that moved, also one without its first folders', () => {
    expect(inspect('One\n`src/services/ids.ts` and `kernel/ids.ts`')).toEqual([
      'docs/guide.md:2 names src/services/ids.ts, which does not exist',
      'docs/guide.md:2 names kernel/ids.ts, which does not exist',
    ]);
  });

  it('may link to files, headings and other hosts', () => {
    expect(
      inspect(
        '# Here\n[a](boards.md) [b](boards.md#export--import) [c](#here) [d](../README.md) [e](https://x.example/y)',
      ),
    ).toEqual([]);
  });

  it('is refused for a link to a file or a heading that does not exist', () => {
    expect(inspect('[a](cards.md)\n[b](boards.md#not-a-heading)')).toEqual([
      'docs/guide.md:1 links to cards.md, which does not exist',
      'docs/guide.md:2 links to boards.md#not-a-heading, and docs/boards.md has no such heading',
    ]);
  });
});

describe('a command', () => {
  it.each([
    'npm pack ./cli && npm install -g ./guildhall-cli-*.tgz',
    'npm install ./guildhall-client-0.2.0.tgz',
    'npx --package ./guildhall-[0-9]*.tgz -- guildhall serve',
    './cli/bin/guildhall.mjs serve',
    'helm install guildhall deploy/helm/guildhall',
    'npm install guildhall-tools',
  ])('may use files at hand: %s', (text) => {
    expect(inspectCommands('docs/install.md', text)).toEqual([]);
  });

  it.each([
    'npx guildhall serve',
    'npx -y guildhall hook session-start',
    'npx @guildhall/client',
    'npm install -g guildhall',
    'npm i guildhall-cli',
    'npm install --save-exact @guildhall/client',
  ])('must not fetch a name that is not registered: %s', (text) => {
    expect(inspectCommands('docs/install.md', `Run:\n${text}\n`)).toEqual([
      expect.stringMatching(/^docs\/install\.md:2 .* fetches a name from the registry that is not ours/),
    ]);
  });
});

it('docs/troubleshooting.md quotes messages that the sources contain', () => {
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
