import { describe, expect, it } from 'vitest';
import { markdownOfJira } from './jira-text.js';

describe('Jira wiki markup', () => {
  it.each([
    ['h2. Steps', '## Steps'],
    ['*bold*, _slanted_, -gone- and +new+', '**bold**, _slanted_, ~~gone~~ and new'],
    ['{{npm test}} in {color:red}red{color}', '`npm test` in red'],
    [
      '[the page|https://x.example/a|smart-link] and [https://y.example]',
      '[the page](https://x.example/a) and <https://y.example>',
    ],
    ['[~accountid:5b10] !shot.png|thumbnail! !', '@5b10 (attachment: shot.png) !'],
    ['* one\n** two\n# first\n## second', '- one\n   - two\n1. first\n   1. second'],
    [
      '||Name||Count||\n|[a|https://x.example]|2|',
      '| Name | Count |\n| --- | --- |\n| [a](https://x.example) | 2 |',
    ],
    ['bq. Said', '> Said'],
    ['{quote}\nOne\nTwo\n{quote}\nThree', '> One\n> Two\n\nThree'],
    ['Before {code:java}\nint *a* = 1;\n{code} after', 'Before \n```java\nint *a* = 1;\n```\n after'],
    ['{noformat}a {code} b{noformat}', '```\na {code} b\n```'],
    ['{panel:title=Note|borderStyle=solid}\nText\n{panel}', '**Note**\nText\n'],
    ['one\\\\\ntwo, \\\\server\\share', 'one\\\n\ntwo, \\\\server\\share'],
    ['2020-01-02, 3*4*5, snake_case_name, -1 to -2', '2020-01-02, 3*4*5, snake_case_name, -1 to -2'],
    ['{code}\nnever closed', '```\nnever closed\n```'],
  ])('converts %j to Markdown', (markup, markdown) => {
    expect(markdownOfJira(markup)).toBe(markdown);
  });

  const PIECES = [
    '{quote}',
    '{code}',
    '{code:a',
    '{panel:',
    '*a ',
    '-a ',
    '[a',
    '[a|b',
    '!a',
    '??',
    '{{',
    '||',
    '# ',
    '\\\\ ',
  ];
  it.each(PIECES)('converts many repetitions of %s in linear time', (piece) => {
    const millisecondsOf = (length: number) => {
      const text = piece.repeat(length / piece.length);
      const since = process.cpuUsage();
      markdownOfJira(text);
      return process.cpuUsage(since).user / 1000;
    };
    millisecondsOf(100_000);
    const isTooFast = () => millisecondsOf(400_000) > 50 + 3 * millisecondsOf(200_000);
    expect([1, 2, 3].every(isTooFast)).toBe(false);
  });
});
