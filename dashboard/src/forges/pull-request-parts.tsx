import type { PullCheck, PullComment, PullRequest, PullReview } from '../api/forges.js';
import { Badge, Time } from '../ui/display.js';
import { Markdown } from '../ui/markdown.js';
import { OutsideLink } from './outside-link.js';
import {
  CHECK_WORDS,
  describeChecks,
  isUnderWay,
  REVIEW_TONES,
  REVIEW_WORDS,
  sortChecks,
  toneOfChecks,
} from './pull-request-words.js';

/** The rest can be seen on the host. */
const MOST = 50;

export function Checks({ pull }: { pull: Pick<PullRequest, 'checks' | 'state'> }) {
  const { checks } = pull;
  if (checks.length === 0) return isUnderWay(pull) ? <p className="muted small">No checks yet.</p> : null;
  return (
    <div className="pull-part">
      <h4>
        Checks <span className="muted small">{describeChecks(checks)}</span>
      </h4>
      <ul className="pull-checks" aria-label="Checks">
        {sortChecks(checks)
          .slice(0, MOST)
          .map((check, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two checks may have one name
            <CheckRow key={`${check.name}:${at}`} check={check} />
          ))}
      </ul>
      <Beyond count={checks.length} what="checks" />
    </div>
  );
}

function CheckRow({ check: { name, state, url, summary } }: { check: PullCheck }) {
  return (
    <li className="pull-check">
      <Badge tone={toneOfChecks(state)}>{CHECK_WORDS[state]}</Badge>
      <span className="pull-check-text">
        <span className="pull-check-name">{url ? <OutsideLink href={url}>{name}</OutsideLink> : name}</span>
        {summary && state !== 'passing' && <span className="muted small pull-check-summary">{summary}</span>}
      </span>
    </li>
  );
}

export function Reviews({ reviews }: { reviews: readonly PullReview[] }) {
  if (reviews.length === 0) return null;
  return (
    <div className="pull-part">
      <h4>Reviews</h4>
      <ul className="pull-remarks" aria-label="Reviews">
        {reviews.slice(-MOST).map((review, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a review has no other name
          <li key={`${review.at}:${at}`}>
            <p className="pull-remark-head">
              <strong>{review.author}</strong>
              <Badge tone={REVIEW_TONES[review.state]}>{REVIEW_WORDS[review.state]}</Badge>
              <span className="muted small">
                <Time at={review.at} />
              </span>
            </p>
            {review.body && <Markdown text={review.body} />}
          </li>
        ))}
      </ul>
      <Beyond count={reviews.length} what="reviews" />
    </div>
  );
}

export function LineComments({ comments }: { comments: readonly PullComment[] }) {
  if (comments.length === 0) return null;
  return (
    <div className="pull-part">
      <h4>Comments on lines</h4>
      <ul className="pull-remarks" aria-label="Comments on lines">
        {byPlace(comments.slice(-MOST)).map(({ place, all }) => (
          <li key={place}>
            <p className="mono small pull-place">{place}</p>
            {all.map((comment, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a comment has no other name
              <div key={`${comment.at}:${at}`} className="pull-comment">
                <p className="pull-remark-head">
                  <strong>{comment.author}</strong>
                  <span className="muted small">
                    <Time at={comment.at} />
                  </span>
                </p>
                <Markdown text={comment.body} />
              </div>
            ))}
          </li>
        ))}
      </ul>
      <Beyond count={comments.length} what="comments" />
    </div>
  );
}

const Beyond = ({ count, what }: { count: number; what: string }) =>
  count > MOST ? (
    <p className="muted small">
      {MOST} of {count} {what}; see all of them at the host.
    </p>
  ) : null;

interface Place {
  place: string;
  all: PullComment[];
}

/** Groups comments on the same line, in the order of the first comment. */
function byPlace(comments: readonly PullComment[]): Place[] {
  const places = new Map<string, PullComment[]>();
  for (const comment of comments) {
    const place = comment.line === null ? comment.path : `${comment.path}:${comment.line}`;
    places.set(place, [...(places.get(place) ?? []), comment]);
  }
  return [...places].map(([place, all]) => ({ place, all }));
}
