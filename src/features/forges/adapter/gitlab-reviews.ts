import type { LineComment, Opinions, Review } from './forge.js';
import { gitlabAuthor } from './gitlab-shapes.js';
import { type openLine, unlessMissing } from './host-line.js';
import { readDate, readLine, readList, readName, readPart, readText, type Thing } from './reading.js';

const MOST_REVIEWS = 200;
const MOST_COMMENTS = 500;
const FULL = { per_page: 100 };

/** What GitLab notes when somebody decides; that there is one tells when it was. */
const NOTES = {
  changes_requested: /^requested changes\b/,
  approved: /^approved this merge request\b/,
};

/**
 * Changes are asked for by a reviewer who said so (`requested_changes`); a thread that is open still is a comment. What is
 * resolved is left out, and so is what GitLab notes by itself.
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
  const decided = [
    ...asking.map((author) => decisionOf(author, 'changes_requested', notes, reviewers)),
    ...approving.map((author) => decisionOf(author, 'approved', notes, reviewers)),
  ];
  const comments = said.filter((note) => note['position'] == null).map(commentOf);
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
