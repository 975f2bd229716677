import { describe, expect, it } from 'vitest';
import { CONTENT_TYPES, type Format, render } from '../../platform/http/answer/answers.js';
import { searchMarkdown, searchParts } from './memory.routes.js';
import type { SearchAnswer } from './memory.schemas.js';

const memory = (id: number, body: string) => ({
  id: String(id),
  kind: 'fact',
  title: `# Title ${id}`,
  body,
  tags: ['a', 'b'],
  confidence: 0.8,
  description: null,
});
const found = (bodies: string[]) =>
  ({
    memories: bodies.map((body, i) => memory(i, body)),
    count: bodies.length,
    agent_id: 'a',
    explain: { tried: 'top', terms: [], left_out: { archived: 0 } },
  }) as unknown as SearchAnswer;

describe('A long search response', () => {
  const long = found(['first\n- line', 'x'.repeat(256 * 1024), '']);

  it.each(Object.keys(CONTENT_TYPES) as Format[])(
    'has the same bytes in chunks as at once in %s',
    (format) => {
      const parts = [...searchParts(long, format)!];
      expect(parts.length).toBeGreaterThan(3);
      expect(parts.join('')).toBe(render(long, format, searchMarkdown));
    },
  );

  it('is chunked when its bodies are long, and a normal one is not', () => {
    expect(searchParts(found(['x'.repeat(256 * 1024)]), 'json')).toBeUndefined();
    expect(searchParts(found([]), 'json')).toBeUndefined();
  });
});
