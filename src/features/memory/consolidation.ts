import { shorten, TITLE_LENGTH } from './learning/extracted.js';
import { IMPORTANCE, type Importance } from './search/ranking.js';

export interface Learning {
  id: string;
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
}

export interface PatternDraft {
  tag: string;
  title: string;
  body: string;
  tags: string[];
  confidence: number;
  importance: Importance;
  sources: string[];
}

const FEWEST_LEARNINGS = 3;
const LONGEST_BODY = 500_000;

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
    tag,
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

const patternTitle = (tag: string, learnings: readonly Learning[]): string =>
  shorten(
    `Pattern in ${tag}: ${learnings.map(({ title }) => title).join('; ')}`,
    Math.min(TITLE_LENGTH, 200),
  );

/** What the sources say, one paragraph each; made again from what is left when a source is deleted. */
export const patternBody = (learnings: readonly { title: string; body: string }[]): string =>
  learnings
    .map(({ title, body }) => (body.startsWith(title) ? `- ${body}` : `- ${title}: ${body}`))
    .join('\n')
    .slice(0, LONGEST_BODY)
    .toWellFormed();
