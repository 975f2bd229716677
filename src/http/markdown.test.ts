import { describe, expect, it } from 'vitest';
import { escapeMarkdown, markdownFacts } from './markdown.js';

describe('escapeMarkdown', () => {
  it.each([
    'awaiting_callback',
    '2026-11-15T02:12:46.405Z',
    'ada@mail.guildhall.local',
    'Fix the login page (v2.0)!',
    '01a1dcfa-7d2c-752c-b4b3-0da07865e136',
  ])('leaves %s as it was written', (text) => {
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
  ])('takes the structure out of %j', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });
});

describe('markdownFacts', () => {
  it('holds the same facts as the JSON, empty ones too', () => {
    expect(markdownFacts({ name: 'a', list: [], nested: { on: true, at: null }, items: [{ id: 1 }] })).toBe(
      '- **name**: a\n- **list**: none\n- **nested**:\n  - **on**: true\n  - **at**: null\n- **items**:\n  - ·\n    - **id**: 1\n',
    );
  });
});
