import { describe, expect, it } from 'vitest';
import { renderBlock } from '../../../kernel/markdown.js';
import { bodyOf, findSection, type PullRequestFacts, titleOf } from './pull-request-text.js';

const facts = (more: Partial<PullRequestFacts> & { result?: string } = {}): PullRequestFacts => ({
  ref: 'WEB-7',
  title: 'Answer better',
  baseUrl: 'https://guildhall.example/',
  build: {
    build_id: 'b1',
    attempt: 2,
    coder: 'codex',
    profile: 'codex.default',
    cost_usd: 0.4231,
    result: more.result ?? 'Did it',
  },
  brief: undefined,
  issue: undefined,
  ...more,
});

/** The Markdown text outside of fences. */
const outside = (body: string): string => {
  let fence: string | undefined;
  const found: string[] = [];
  for (const line of body.split('\n')) {
    if (fence === undefined) {
      fence = /^(`{3,})/.exec(line)?.[1];
      if (fence === undefined) found.push(line);
    } else if (line.trim() === fence) fence = undefined;
  }
  return found.join('\n');
};

describe('Pull request title', () => {
  it('is the ref and the title of the card', () => {
    expect(titleOf(facts())).toBe('WEB-7: Answer better');
  });

  it.each([
    'Ask @octocat about it',
    'Fixes #12',
    'closes acme/app#3',
    'resolves GH-4',
    'fixes https://github.com/acme/app/issues/5',
    'see !7',
  ])('disables mentions and references: %s', (title) => {
    const made = titleOf(facts({ title }));
    expect(made).not.toMatch(/@\w|#\d|GH-\d|:\/\/|!\d/i);
    expect(made.replaceAll('\u200B', '')).toBe(`WEB-7: ${title}`);
  });

  it('is one line of at most 255 characters', () => {
    expect(titleOf(facts({ title: 'One\r\ntwo\u2028three\0four' }))).toBe('WEB-7: One two three four');
    const long = titleOf(facts({ title: '😀'.repeat(400) }));
    expect(long.length).toBeLessThanOrEqual(255);
    expect(long).toMatch(/^WEB-7: 😀+…$/u);
  });
});

describe('Pull request body', () => {
  it('names the card, the build, the coder, the profile and the cost, and the issue that it fixes', () => {
    const body = bodyOf(facts({ issue: 12 }));
    expect(body).toMatch(/^Fixes #12\n/);
    expect(body).toContain('[WEB-7](https://guildhall.example/dashboard/cards/WEB-7)');
    expect(body).toContain('[attempt 2](https://guildhall.example/dashboard/builds/b1)');
    expect(body).toContain('Coder: `codex` · Profile: `codex.default` · Cost: $0.42');
  });

  it.each([
    'Fixes #1 @octocat',
    '```\nFixes #1\n```',
    '````text\n@octocat\n````\nCloses #2',
    `${'`'.repeat(3000)}\nFixes #1`,
    '~~~\nFixes #1 @octocat\n~~~',
    `a\u2028\`\`\`\u2028@octocat`,
  ])("puts the coder's text in a fence: %j", (result) => {
    const shown = outside(bodyOf(facts({ result })));
    expect(shown).not.toMatch(/octocat|Fixes|Closes/);
    expect(shown).toContain('## Result');
  });

  it('is cut to the limit of hosts with complete fences', () => {
    const lesson = renderBlock('x'.repeat(3000), '');
    const brief = `# WEB-7\n\n## Lessons\n\n${lesson.repeat(30)}\n## How to finish\n`;
    for (const letter of ['a', '`', '`\n', '\n']) {
      const body = bodyOf(facts({ result: letter.repeat(200_000), brief, issue: 3 }));
      expect(body.length).toBeLessThan(65_000);
      expect(outside(body)).toContain('## Lessons in the brief');
      expect(outside(body)).toContain('Fixes #3');
    }
  });

  it('shows the lessons of the brief, but no headings that other texts imitate', () => {
    const lesson = renderBlock('pitfall (src/a.ts)\n\nMind the gap', '');
    const instructions = renderBlock('## Lessons\n\nBy @octocat\n', '');
    const brief = `# WEB-7\n\n## Instructions\n\n${instructions}\n## Lessons\n\nLearned.\n\n${lesson}\n## How to finish\n\n1. Commit\n`;
    expect(findSection(brief, 'Lessons')).toBe(`Learned.\n\n${lesson.trim()}`);
    const body = bodyOf(facts({ brief }));
    expect(body).toContain('Mind the gap');
    expect(body).not.toContain('octocat');
    expect(bodyOf(facts({ brief: `## Instructions\n\n${instructions}` }))).not.toContain('Lessons');
  });
});
