import type { LineComment, Opinions, Review } from './forge.js';
import { authorOf } from './github-shapes.js';
import type { openLine } from './host-line.js';
import { readDate, readLine, readShaOrNull, readText, type Thing } from './reading.js';

const MOST_REVIEWS = 200;
const FULL = { per_page: 100 };

const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
};

export async function readGithubOpinions(line: ReturnType<typeof openLine>, pull: string): Promise<Opinions> {
  const reviews = await line.readPages(`${pull}/reviews`, {}, { size: FULL, pages: 10 });
  const newestFirst = { sort: 'created', direction: 'desc' };
  const comments = await line.readPages(`${pull}/comments`, newestFirst, { size: FULL, pages: 5 });
  return {
    reviews: lastWords(reviews.flatMap(reviewOf)).slice(-MOST_REVIEWS),
    comments: comments.map(lineCommentOf).reverse(),
  };
}

/** Of each author the last decision stands; what it took the place of is left out. Comments decide nothing, and stay. */
export function lastWords(reviews: readonly Review[]): Review[] {
  const decided = new Map<string, Review>();
  for (const review of reviews) if (review.state !== 'commented') decided.set(review.author, review);
  return reviews.filter(
    (review) => decided.get(review.author) === review || (review.state === 'commented' && review.body !== ''),
  );
}

/** One that is still being written is nobody's business. */
function reviewOf(review: Thing): Review[] {
  const state = STATES[readText(review['state'])];
  if (!state || !review['submitted_at']) return [];
  return [
    {
      author: authorOf(review),
      state,
      body: readText(review['body']),
      at: readDate(review['submitted_at']).toISOString(),
      sha: readShaOrNull(review['commit_id']),
    },
  ];
}

const lineCommentOf = (comment: Thing): LineComment => ({
  path: readText(comment['path'], 1024),
  line: readLine(comment['line'] ?? comment['original_line']),
  author: authorOf(comment),
  body: readText(comment['body']),
  at: readDate(comment['created_at']).toISOString(),
});
