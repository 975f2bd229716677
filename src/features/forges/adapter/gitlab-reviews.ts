import type { LineComment, Opinions, Review } from './forge.js';
import { gitlabAuthor } from './gitlab-shapes.js';
import { type openLine, unlessMissing } from './host-line.js';
import { readDate, readLine, readList, readName, readPart, readText, type Thing } from './reading.js';

const MOST_REVIEWS = 200;
const MOST_COMMENTS = 500;
const FULL = { per_page: 100 };

/** The summary of a review may be noted a moment after its decision. */
const SUMMARY_MS = 10_000;

/** What GitLab notes when somebody decides; that there is one tells when it was. */
const NOTES = {
  changes_requested: /^requested changes\b/,
  approved: /^approved this merge request\b/,
};

/**
 * Changes are asked for by a reviewer who said so (`requested_changes`), in the words that this reviewer wrote about the whole
 * request since the decision before; any other open thread is a comment. Resolved threads are left out, and so are the
 * notes that GitLab writes by itself.
 */
export async function readGitlabOpinions(
  line: ReturnType<typeof openLine>,
  request: string,
): Promise<Opinions> {
  const approvals = readPart(await unlessMissing(line.read(`${request}/approvals`)));
  const reviewers = readList((await unlessMissing(line.read(`${request}/reviewers`, FULL))) ?? [], 100);
  const discussions = await line.readPages(`${request}/discussions`, {}, { size: FULL, pages: 5 });
  const notes = discussions.flatMap((discussion) => readList(discussion['notes'] ?? [], 100));
  const said = notes.filter((note) => note['system'] !== true && note['resolved'] !== true);

  const asking = reviewers
    .filter(({ state }) => state === 'requested_changes')
    .map((reviewer) => readName(readPart(reviewer['user'])['username'], 'ghost'));
  const approving = readList(approvals['approved_by'] ?? [], 100)
    .map((approval) => readName(readPart(approval['user'])['username'], 'ghost'))
    .filter((author) => !asking.includes(author));
  const general = said.filter((note) => note['position'] == null);
  const wordsOf = new Map(asking.map((author) => [author, findWords(author, notes, general)]));
  const decided = [
    ...asking.map((author) => ({
      ...decisionOf(author, 'changes_requested', notes, reviewers),
      body: wordsOf
        .get(author)!
        .map((note) => readText(note['body']))
        .join('\n\n'),
    })),
    ...approving.map((author) => decisionOf(author, 'approved', notes, reviewers)),
  ];
  const taken = new Set([...wordsOf.values()].flat());
  const comments = general.filter((note) => !taken.has(note)).map(commentOf);
  return {
    reviews: [...decided, ...comments]
      .sort((one, other) => (one.at < other.at ? -1 : 1))
      .slice(-MOST_REVIEWS),
    comments: said
      .filter((note) => note['position'] != null)
      .map(lineCommentOf)
      .slice(-MOST_COMMENTS),
  };
}

/** What a reviewer wrote about all of it since the decision before the last one; GitLab keeps both apart. */
function findWords(author: string, notes: readonly Thing[], general: readonly Thing[]): Thing[] {
  const decisions = notes
    .filter((note) => isDecision(note) && gitlabAuthor(note) === author)
    .map(momentOf)
    .sort((one, other) => one - other);
  const since = (decisions.at(-2) ?? Number.NEGATIVE_INFINITY) + SUMMARY_MS;
  return general
    .filter((note) => gitlabAuthor(note) === author && momentOf(note) > since)
    .sort((one, other) => momentOf(one) - momentOf(other));
}

const isDecision = (note: Thing): boolean =>
  note['system'] === true && Object.values(NOTES).some((words) => words.test(readText(note['body'])));

const momentOf = (note: Thing): number => readDate(note['created_at']).getTime();

/** When it was GitLab tells by its own note; without one, by when they were asked. */
function decisionOf(
  author: string,
  state: keyof typeof NOTES,
  notes: readonly Thing[],
  reviewers: readonly Thing[],
): Review {
  const noted = notes.findLast(
    (note) =>
      note['system'] === true && gitlabAuthor(note) === author && NOTES[state].test(readText(note['body'])),
  );
  const theirs = noted ?? notes.findLast((note) => gitlabAuthor(note) === author);
  const asked = reviewers.find((reviewer) => readPart(reviewer['user'])['username'] === author);
  const at = (theirs ?? asked)?.['created_at'] ?? new Date(0).toISOString();
  return { author, state, body: '', at: readDate(at).toISOString() };
}

const commentOf = (note: Thing): Review => ({
  author: gitlabAuthor(note),
  state: 'commented',
  body: readText(note['body']),
  at: readDate(note['created_at']).toISOString(),
});

function lineCommentOf(note: Thing): LineComment {
  const position = readPart(note['position']);
  return {
    path: readText(position['new_path'] ?? position['old_path'], 1024),
    line: readLine(position['new_line'] ?? position['old_line']),
    author: gitlabAuthor(note),
    body: readText(note['body']),
    at: readDate(note['created_at']).toISOString(),
  };
}
