import { describe, expect, it } from 'vitest';
import { computingTime } from '../../tests/support/event-loop.js';
import { escapeMarkdown, inlineText, markdownFacts } from './markdown.js';

const MEBIBYTE = 1024 * 1024;

describe('escapeMarkdown', () => {
  it.each([
    'awaiting_callback',
    '2026-11-15T02:12:46.405Z',
    'ada@mail.guildhall.local',
    'Fix the login page (v2.0)!',
    '01a1dcfa-7d2c-752c-b4b3-0da07865e136',
  ])('leaves %s unchanged', (text) => {
    expect(escapeMarkdown(text)).toBe(text);
  });

  it.each([
    ['# heading', '\\# heading'],
    ['- item', '\\- item'],
    ['12. item', '12\\. item'],
    ['> quote', '\\> quote'],
    ['--- rule', '\\--- rule'],
    ['a\n# b', 'a # b'],
    ['*bold* _slanted_ `code`', '\\*bold\\* \\_slanted\\_ \\`code\\`'],
    ['[link](http://x) ![image](y)', '\\[link\\](http://x) !\\[image\\](y)'],
    ['<script>', '\\<script>'],
    ['&lt; & more', '\\&lt; & more'],
    ['```js', '\\`\\`\\`js'],
    ['a  b \u0085\n \u2028 c', 'a  b c'],
  ])('escapes the Markdown in %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

describe('inlineText', () => {
  it.each([
    ['a \n  b', 'a b'],
    ['a\r\n\r\n b', 'a b'],
    ['a\u2028b\u0085c', 'a b c'],
    ['a  b', 'a  b'],
    [' \n a \n ', 'a'],
  ])('puts %j on one line', (text, expected) => {
    expect(inlineText(text)).toBe(expected);
  });

  it.each([' ', '\t', '\n', ' \n', '_', '&a', '1', '\u2028'])(
    'processes 1 MiB of repeated %j within 5 seconds',
    (unit) => {
      const milliseconds = computingTime(() => {
        inlineText(`a${unit.repeat(MEBIBYTE / unit.length)}b`);
        escapeMarkdown(unit.repeat(MEBIBYTE / unit.length));
      });
      expect(milliseconds).toBeLessThan(5_000);
    },
  );
});

describe('markdownFacts', () => {
  it('contains the same facts as the JSON, including empty ones', () => {
    expect(markdownFacts({ name: 'a', list: [], nested: { on: true, at: null }, items: [{ id: 1 }] })).toBe(
      '- **name**: a\n- **list**: none\n- **nested**:\n  - **on**: true\n  - **at**: null\n- **items**:\n  - ·\n    - **id**: 1\n',
    );
  });
});
