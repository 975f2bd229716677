import { BODY_LENGTH, shorten } from './learning/extracted.js';
import { IMPORTANCE, type Importance } from './records/memory.record.js';

export interface Learning {
  id: string;
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
}

/** What a pattern took from one of its sources. */
export type SourceText = Pick<Learning, 'id' | 'title' | 'body' | 'tags'>;

export interface PatternText extends SourceText {
  merged_from: string[];
}

export interface PatternDraft {
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
  sources: string[];
}

export const FEWEST_LEARNINGS = 3;
const LONGEST_TITLE = 200;

/** Learnings that share a tag, the most shared tag first; each learning goes into one group only. */
export function groupLearnings(learnings: readonly Learning[]): PatternDraft[] {
  const drafts: PatternDraft[] = [];
  let left = [...learnings];
  for (;;) {
    const tag = mostSharedTag(left);
    if (tag === undefined) return drafts;
    drafts.push(
      draftPattern(
        tag,
        left.filter(({ tags }) => tags.includes(tag)),
      ),
    );
    left = left.filter(({ tags }) => !tags.includes(tag));
  }
}

function mostSharedTag(learnings: readonly Learning[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { tags } of learnings) {
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count >= FEWEST_LEARNINGS);
  return shared.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0];
}

function draftPattern(tag: string, learnings: readonly Learning[]): PatternDraft {
  const mean = learnings.reduce((sum, { confidence }) => sum + confidence, 0) / learnings.length;
  return {
    title: patternTitle(tag, learnings),
    body: patternBody(learnings),
    tags: [...new Set(learnings.flatMap(({ tags }) => tags))],
    confidence: Math.round(mean * 10_000) / 10_000,
    importance: learnings.map(({ importance }) => importance).reduce(moreImportant),
    sources: learnings.map(({ id }) => id),
  };
}

const moreImportant = (a: Importance, b: Importance): Importance =>
  IMPORTANCE.indexOf(a) >= IMPORTANCE.indexOf(b) ? a : b;

const titleStart = (tag: string): string => `Pattern in ${tag.replace(/\s+/g, ' ').trim()}: `;

const patternTitle = (tag: string, learnings: readonly { title: string }[]): string =>
  shorten(`${titleStart(tag)}${learnings.map(({ title }) => title).join('; ')}`, LONGEST_TITLE);

/** What a source says, in a paragraph of its own. */
const paragraph = ({ title, body }: { title: string; body: string }): string =>
  body.startsWith(title) ? `- ${body}` : `- ${title}: ${body}`;

const patternBody = (learnings: readonly { title: string; body: string }[]): string =>
  learnings.map(paragraph).join('\n').slice(0, BODY_LENGTH).toWellFormed();

/** The pattern without the words of one of its sources. What a person wrote into it themselves stays. */
export function withoutSource(
  pattern: PatternText,
  sources: readonly SourceText[],
  removed: SourceText,
): PatternText {
  const left = sources.filter((source) => source !== removed);
  const kept = new Set(left.flatMap(({ tags }) => tags));
  const tag = pattern.tags.find((each) => pattern.title.startsWith(titleStart(each)));
  return {
    id: pattern.id,
    title: tag === undefined ? pattern.title : patternTitle(tag, left),
    body: pattern.body === patternBody(sources) ? patternBody(left) : cut(pattern.body, paragraph(removed)),
    tags: pattern.tags.filter((each) => kept.has(each) || !removed.tags.includes(each)),
    merged_from: pattern.merged_from.filter((id) => id !== removed.id),
  };
}

/** The text without one of its paragraphs, if it still has it. */
function cut(text: string, part: string): string {
  const framed = `\n${text}\n`;
  const at = framed.indexOf(`\n${part}\n`);
  if (at < 0) return text;
  return `${framed.slice(0, at)}${framed.slice(at + part.length + 1)}`.slice(1, -1);
}
