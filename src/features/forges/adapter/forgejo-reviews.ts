import type { LineComment, Opinions, Review } from './forge.js';
import { lastWords } from './github-reviews.js';
import { authorOf } from './github-shapes.js';
import { type openLine, unlessMissing } from './host-line.js';
import {
  readCount,
  readDate,
  readId,
  readLine,
  readList,
  readShaOrNull,
  readText,
  type Thing,
} from './reading.js';

const MOST_REVIEWS = 200;
const MOST_COMMENTS = 500;
const FULL = { limit: 50 };
/** The comments of each review are a call of their own: those of the newest ones are asked for. */
const MOST_ASKED = 10;

const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

export async function readForgejoOpinions(
  line: ReturnType<typeof openLine>,
  pull: string,
): Promise<Opinions> {
  const found = await line.readPages(`${pull}/reviews`, {}, { size: FULL, pages: 4 });
  const reviews = found.flatMap(reviewOf).sort((one, other) => (one.at < other.at ? -1 : 1));
  const commenting = found.filter((review) => readCount(review['comments_count']) > 0).slice(-MOST_ASKED);
  const comments: LineComment[] = [];
  for (const review of commenting) {
    const told = await unlessMissing(line.read(`${pull}/reviews/${readId(review['id'])}/comments`));
    const open = readList(told ?? [], MOST_COMMENTS).filter((comment) => comment['resolver'] == null);
    comments.push(...open.map(lineCommentOf));
  }
  return { reviews: lastWords(reviews).slice(-MOST_REVIEWS), comments: comments.slice(-MOST_COMMENTS) };
}

/** That somebody was asked, or is still writing, is no review. */
function reviewOf(review: Thing): Review[] {
  const state = STATES[readText(review['state'])];
  if (!state) return [];
  return [
    {
      author: authorOf(review),
      state: review['dismissed'] === true && state !== 'commented' ? 'dismissed' : state,
      body: readText(review['body']),
      at: readDate(review['submitted_at']).toISOString(),
      sha: readShaOrNull(review['commit_id']),
    },
  ];
}

const lineCommentOf = (comment: Thing): LineComment => ({
  path: readText(comment['path'], 1024),
  line: readLine(comment['position']) ?? readLine(comment['original_position']),
  author: authorOf(comment),
  body: readText(comment['body']),
  at: readDate(comment['created_at']).toISOString(),
});
