import { describe, expect, it } from 'vitest';
import { readChecksFile } from './checks-file.js';

describe('.guildhall/checks.yaml', () => {
  it('has the form of what a project is told', () => {
    const text = `
# how to try this code
setup: {command: npm ci, minutes: 20}
required: false
checks:
  - name: tests
    command: |
      npm test
      npm run lint
`;
    expect(readChecksFile(text)).toEqual({
      setup: { command: 'npm ci', minutes: 20 },
      required: false,
      checks: [{ name: 'tests', command: 'npm test\nnpm run lint\n', minutes: 15 }],
    });
    const nothing = { setup: null, required: true, checks: [] };
    expect(readChecksFile('{}')).toEqual(nothing);
    expect(readChecksFile('# nothing yet')).toEqual(nothing);
  });

  it.each([
    ['no YAML', 'setup: [', /not valid YAML/],
    ['a list', '- setup', /not a mapping/],
    ['of another form', 'setup: npm ci', /^setup/],
    ['with a name twice', 'checks: [{name: a, command: b}, {name: a, command: b}]', /the name a twice/],
    ['a bomb', `a: &a [x]\n${'b: [*a, *a]\n'.repeat(900)}`, /more keys/],
    ['a deep hole', '['.repeat(5000), /more keys/],
    ['with what nobody knows', 'run: x', /run/],
  ])('is refused when it is %s', (_what, text, words) => {
    expect(() => readChecksFile(text)).toThrow(words);
  });
});
