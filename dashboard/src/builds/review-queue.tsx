import { listBuilds, type ReviewState } from '../api/builds.js';
import { usePages, useResource } from '../api/resource.js';
import { navigate, usePlace, withParameters } from '../shell/router.js';
import { Loaded } from '../ui/feedback.js';
import { SelectField } from '../ui/field.js';
import { Section, Tabs } from '../ui/page.js';
import { BuildPages } from './build-rows.js';
import { useDeskNames } from './desk-names.js';
import { useRowSteps } from './row-keys.js';

const STATES: readonly ReviewState[] = ['to_review', 'rework', 'accepted', 'pushed'];
const WORDS: Record<ReviewState, { label: string; lead: string; first: string; none: string }> = {
  to_review: {
    label: 'To review',
    lead: 'Succeeded builds without a decision',
    first: 'the longest',
    none: 'No builds to review.',
  },
  rework: {
    label: 'Changes requested',
    lead: 'Builds sent back with comments',
    first: 'the latest',
    none: 'No builds were sent back.',
  },
  accepted: {
    label: 'Accepted',
    lead: 'Accepted builds that are not pushed yet',
    first: 'the longest',
    none: 'No accepted builds are waiting to be pushed.',
  },
  pushed: {
    label: 'Pushed',
    lead: 'Accepted and pushed builds',
    first: 'the latest',
    none: 'No builds were pushed yet.',
  },
};
const POLL_MS = 10_000;
const PAGE_SIZE = 50;

export const readReview = (query: URLSearchParams): ReviewState | undefined =>
  STATES.find((each) => each === query.get('review'));

export function ReviewTabs({ current }: { current: ReviewState | undefined }) {
  const counts = useResource(
    'builds:review-counts',
    async (signal) => {
      const lists = await Promise.all(STATES.map((review) => listBuilds({ review, limit: 1 }, signal)));
      return lists.map(({ total }) => total);
    },
    { pollMs: POLL_MS },
  );
  const tabs = STATES.map((review, at) => ({
    to: withParameters({ review, status: null, coder: null, desk: null, sort: null }),
    label: counts.data ? `${WORDS[review].label} (${counts.data[at]})` : WORDS[review].label,
    current: review === current,
  }));
  const all = {
    to: withParameters({ review: null, sort: null }),
    label: 'All builds',
    current: current === undefined,
  };
  return <Tabs label="Builds by their review" tabs={[all, ...tabs]} />;
}

export function ReviewQueue({ review }: { review: ReviewState }) {
  const desks = useDeskNames();
  const byRisk = usePlace().query.get('sort') === 'risk';
  const queue = usePages(
    `builds:review:${review}:${byRisk ? 'risk' : 'time'}`,
    (cursor, signal) =>
      listBuilds(
        {
          review,
          with: 'tasks',
          limit: PAGE_SIZE,
          ...(byRisk && { sort: 'risk' }),
          ...(cursor && { cursor }),
        },
        signal,
      ),
    { pollMs: POLL_MS, keep: true },
  );
  const weighed = queue.data?.some(({ builds }) => builds.some(({ risk }) => risk)) ?? false;
  useRowSteps();
  const { label, lead, first, none } = WORDS[review];
  return (
    <Section
      title={label}
      lead={`${lead}, ${byRisk ? 'the riskiest' : first} first.`}
      actions={(weighed || byRisk) && <Order byRisk={byRisk} />}
    >
      <Loaded of={queue} rows={5}>
        {(pages) => (
          <BuildPages
            pages={pages}
            desks={desks}
            paging={queue}
            empty={<p className="muted">{none}</p>}
            reasons={review === 'to_review'}
          />
        )}
      </Loaded>
    </Section>
  );
}

const Order = ({ byRisk }: { byRisk: boolean }) => (
  <SelectField
    label="Order"
    value={byRisk ? 'risk' : ''}
    onChange={(event) => navigate(withParameters({ sort: event.target.value || null }), { replace: true })}
  >
    <option value="">By time</option>
    <option value="risk">Riskiest first</option>
  </SelectField>
);
