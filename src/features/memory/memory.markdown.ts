import { escapeMarkdown, markdownFacts } from '../../platform/http/answer/markdown.js';
import type { SearchAnswer } from './memory.schemas.js';

/** A heading per memory and its facts below it. */
export const searchMarkdown = (answer: SearchAnswer): string => [...searchMarkdownParts(answer)].join('');

export function* searchMarkdownParts({ memories, ...rest }: SearchAnswer): Generator<string> {
  yield `# Memories\n\n${markdownFacts(rest)}`;
  for (const { title, ...facts } of memories)
    yield `\n## ${escapeMarkdown(title)}\n\n${markdownFacts(facts)}`;
}

export const statsMarkdown = (stats: object): string => `# Memory\n\n${markdownFacts(stats)}`;
