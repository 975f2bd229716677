import { describe, expect, it } from 'vitest';
import { groupLearnings } from '../consolidation.service.js';
import { isSameMemory } from '../search/similar.js';
import { keepSpoken, readClaudeCodeLine, readOpenClawLine } from './messages.js';

const said = (content: string, role = 'user') => ({ role, content, at: null });

describe('keepSpoken', () => {
  it('removes injected text and keeps the text around it', () => {
    expect(keepSpoken([said('Before <system-reminder>junk</system-reminder> after')])).toMatchObject([
      { content: 'Before \n after' },
    ]);
    expect(keepSpoken([said('x', 'system'), said('x', 'tool')])).toEqual([]);
  });
});

describe('isSameMemory', () => {
  it('distinguishes a repetition from a different statement', () => {
    const memory = { title: 'The site is hosted in Lisbon', body: 'We decided to host the site in Lisbon.' };
    expect(
      isSameMemory(memory, {
        title: 'the site is hosted in lisbon',
        body: 'We decided to host the site in Lisbon',
      }),
    ).toBe(true);
    expect(
      isSameMemory(memory, {
        title: 'The site is not hosted in Lisbon',
        body: 'We decided to host the site in Lisbon.',
      }),
    ).toBe(false);
    expect(isSameMemory({ title: 'Port 5433', body: 'x' }, { title: 'Port 5434', body: 'x' })).toBe(false);
  });
});

describe('groupLearnings', () => {
  it('groups by the most common tag first and uses each learning once', () => {
    const learning = (id: string, tags: string[]) => ({
      id,
      title: id,
      body: id,
      tags,
      confidence: 0.5,
      importance: 'normal' as const,
    });
    const drafts = groupLearnings([
      learning('a', ['x']),
      learning('b', ['x', 'y']),
      learning('c', ['x', 'y']),
      learning('d', ['y']),
      learning('e', ['y']),
    ]);
    expect(drafts.map(({ title, sources }) => [title, sources])).toEqual([
      ['Pattern in y: b; c; d; e', ['b', 'c', 'd', 'e']],
    ]);
  });
});

describe('Line readers', () => {
  it('read only text blocks', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', name: 'x' },
    ];
    expect(
      readClaudeCodeLine({ type: 'assistant', message: { content }, timestamp: '2026-01-01T00:00:00Z' }),
    ).toEqual({
      role: 'assistant',
      content: 'Hello',
      at: '2026-01-01T00:00:00.000Z',
    });
    expect(
      readClaudeCodeLine({ type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } }),
    ).toBeUndefined();
    expect(readClaudeCodeLine({ type: 'summary', summary: 'x' })).toBeUndefined();
    expect(
      readOpenClawLine({ type: 'message', message: { role: 'user', content: 'Hi', timestamp: 0 } }),
    ).toEqual({ role: 'user', content: 'Hi', at: '1970-01-01T00:00:00.000Z' });
    for (const junk of [null, 7, 'x', [], { type: 'user' }, { type: 'user', message: 'x' }]) {
      expect([readClaudeCodeLine(junk), readOpenClawLine(junk)]).toEqual([undefined, undefined]);
    }
  });
});
