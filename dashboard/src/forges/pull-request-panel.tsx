import { useEffect, useRef } from 'react';
import type { FullCard } from '../api/boards.js';
import { type PullRequest, readForge, readPullRequest } from '../api/forges.js';
import { refresh, useResource } from '../api/resource.js';
import { Badge, Time } from '../ui/display.js';
import { Loaded, Note } from '../ui/feedback.js';
import { BranchIcon } from '../ui/icons.js';
import { forgeKey, pullRequestKey } from './forge-key.js';
import { isSimulatedAddress } from './forge-words.js';
import { OutsideLink } from './outside-link.js';
import { Checks, LineComments, Reviews } from './pull-request-parts.js';
import { describeNextStep, isUnderWay, toneOfState } from './pull-request-words.js';
import { TieForm } from './tie-form.js';

const POLL_MS = 20_000;

type PanelCard = Pick<
  FullCard,
  'id' | 'project_id' | 'pr_number' | 'pr_url' | 'pr_state' | 'deploy_url' | 'version'
>;

export function PullRequestPanel({ card, mayTie }: { card: PanelCard; mayTie: boolean }) {
  if (card.pr_number !== null) return <Followed card={card} mayTie={mayTie} />;
  return mayTie && card.project_id ? <Untied card={card} projectId={card.project_id} /> : null;
}

/** Without a repository host there is no pull request to link. */
function Untied({ card, projectId }: { card: PanelCard; projectId: string }) {
  const forge = useResource(forgeKey(projectId), (signal) => readForge(projectId, signal), {
    freshMs: 60_000,
  });
  if (!forge.data) return null;
  return (
    <section className="pull-request" aria-label="Pull request">
      <h3>Pull request</h3>
      <p className="muted small">
        None yet. Accepting a build opens one. If you opened one at {forge.data.repository}, link it here.
      </p>
      <TieForm cardId={card.id} />
    </section>
  );
}

export function usePullRequest(card: Pick<PanelCard, 'id' | 'pr_number' | 'version'> | undefined) {
  const tied = card && card.pr_number !== null ? card : undefined;
  const pull = useResource(
    tied ? pullRequestKey(tied.id) : null,
    (signal) => readPullRequest(tied!.id, signal),
    { pollMs: POLL_MS },
  );
  // Any change of the card may come from the host, so reload its pull request.
  const version = useRef(card?.version);
  useEffect(() => {
    if (!card || version.current === card.version) return;
    version.current = card.version;
    refresh(pullRequestKey(card.id));
  }, [card]);
  return pull;
}

function Followed({ card, mayTie }: { card: PanelCard; mayTie: boolean }) {
  const pull = usePullRequest(card);
  return (
    <section className="pull-request" aria-label="Pull request">
      <Loaded of={pull} rows={2}>
        {(data) => (data ? <Told pull={data} card={card} /> : <Unknown card={card} mayTie={mayTie} />)}
      </Loaded>
    </section>
  );
}

/** The number was entered manually, so the host is not queried. */
function Unknown({ card, mayTie }: { card: PanelCard; mayTie: boolean }) {
  return (
    <>
      <header className="pull-request-head">
        <h3>
          <PullLink number={card.pr_number!} url={card.pr_url ?? ''} />
        </h3>
        {card.pr_state && <Badge tone={toneOfState(card.pr_state)}>{card.pr_state}</Badge>}
      </header>
      <p className="muted small">No repository host is connected. This shows what was written on the card.</p>
      {mayTie && card.project_id && <TieIfConnected card={card} projectId={card.project_id} />}
    </>
  );
}

function TieIfConnected({ card, projectId }: { card: PanelCard; projectId: string }) {
  const forge = useResource(forgeKey(projectId), (signal) => readForge(projectId, signal), {
    freshMs: 60_000,
  });
  return forge.data ? <TieForm cardId={card.id} usual={card.pr_number ?? undefined} /> : null;
}

const PullLink = ({ number, url }: { number: number; url: string }) => (
  <OutsideLink href={url}>
    <BranchIcon size={15} /> Pull request #{number}
  </OutsideLink>
);

function PullRequestHead({ pull }: { pull: PullRequest }) {
  return (
    <header className="pull-request-head">
      <h3>
        <PullLink number={pull.number} url={pull.url} />
      </h3>
      <Badge tone={toneOfState(pull.state)}>{pull.state}</Badge>
      {isSimulatedAddress(pull.url) && <span className="muted small">on the simulated host</span>}
    </header>
  );
}

function Told({ pull, card }: { pull: PullRequest; card: PanelCard }) {
  return (
    <>
      <PullRequestHead pull={pull} />
      <p className="muted small pull-request-way">
        <span className="mono">{pull.head.branch}</span> into <span className="mono">{pull.base.branch}</span>
        {pull.seen_at && (
          <span>
            , seen <Time at={pull.seen_at} />
          </span>
        )}
      </p>
      <PullRequestState pull={pull} />
      {card.deploy_url && (
        <p className="small">
          Deployed at <OutsideLink href={card.deploy_url}>{card.deploy_url}</OutsideLink>
        </p>
      )}
      <Checks pull={pull} />
      <Reviews reviews={pull.reviews} />
      <LineComments comments={pull.comments} />
    </>
  );
}

function PullRequestState({ pull }: { pull: PullRequest }) {
  const next = describeNextStep(pull);
  return (
    <>
      {isUnderWay(pull) && pull.mergeable === false && (
        <Note tone="warn">
          It has conflicts with <span className="mono">{pull.base.branch}</span>.
        </Note>
      )}
      {next && <p className="muted small">{next}</p>}
    </>
  );
}
