import { escapeMarkdown, markdownFacts } from '../../http/markdown.js';
import type { SearchAnswer } from './memory.schemas.js';

/** A heading per memory and its facts below it. */
export function searchMarkdown({ memories, ...rest }: SearchAnswer): string {
  const items = memories.map(
    ({ title, ...facts }) => `## ${escapeMarkdown(title)}\n\n${markdownFacts(facts)}`,
  );
  return `${['# Memories', markdownFacts(rest).trimEnd(), ...items.map((item) => item.trimEnd())].join('\n\n')}\n`;
}

export const statsMarkdown = (stats: object): string => `# Memory\n\n${markdownFacts(stats)}`;
