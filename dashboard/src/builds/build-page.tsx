import { useMemo, useRef, useState } from 'react';
import { readCard } from '../api/boards.js';
import { type Build, listBuildsOfCard, readBuild } from '../api/builds.js';
import { listWorkstations } from '../api/machines.js';
import { useResource } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { Link, usePlace, withParameters } from '../shell/router.js';
import { ActorName } from '../ui/actor.js';
import { Button, CopyButton } from '../ui/button.js';
import { Loaded, Note } from '../ui/feedback.js';
import { Page, Tabs } from '../ui/page.js';
import { BriefTab } from './brief-tab.js';
import { BuildStatus, StatusStrip } from './build-status.js';
import {
  branchOf,
  buildAddress,
  cardAddress,
  coderName,
  describeHostFeedback,
  explain,
  isDemoAttempt,
  isOpen,
  isReview,
  ranOutOfMoney,
} from './build-words.js';
import { CancelDialog } from './cancel-dialog.js';
import { ChangesTab } from './changes/changes-tab.js';
import { useComments } from './changes/comments.js';
import { DecisionNote, useReviewNews } from './changes/decision.js';
import { ReviewBar } from './changes/review.js';
import { ContinueNote } from './gate/continue-note.js';
import { Gate } from './gate/gate.js';
import { ReviewedNote } from './gate/reviewed.js';
import { ImpactTab } from './impact-tab.js';
import { LogBook } from './log/log-book.js';
import { LogTab } from './log/log-tab.js';
import { BuildQuestions } from './questions.js';
import { ResultTab } from './result-tab.js';
import { StartBuildDialog } from './start-build-dialog.js';

const OPEN_POLL_MS = 2_000;
const REVIEW_POLL_MS = 5_000;
const REST_POLL_MS = 30_000;

const TABS = ['log', 'changes', 'brief', 'impact', 'result'] as const;
type Tab = (typeof TABS)[number];
const TAB_WORDS: Record<Tab, string> = {
  log: 'Log',
  changes: 'Changes',
  brief: 'Brief',
  impact: 'Impact',
  result: 'Result and usage',
};

export function BuildPage({ buildId }: { buildId: string }) {
  const [pace, setPace] = useState(OPEN_POLL_MS);
  const build = useResource(`build:${buildId}`, (signal) => readBuild(buildId, signal), {
    pollMs: pace,
  });
  const data = build.data;
  const wanted = paceOf(data);
  if (wanted !== pace) setPace(wanted);
  const card = useResource(
    data ? `card:${data.task_id}` : null,
    (signal) => readCard(data!.task_id, signal),
    { freshMs: 15_000 },
  );
  useReviewNews(data, card.data?.board_id);
  const title = data ? `${data.ref}${card.data ? `: ${card.data.title}` : ''}` : 'Build';
  return (
    <Page
      wide
      title={title}
      back={{ to: '/dashboard/builds', label: 'Builds' }}
      actions={data && <BuildActions build={data} />}
    >
      <Loaded of={build} rows={6}>
        {(shown) => (
          <>
            <BuildHead build={shown} card={card.data} />
            {isDemoAttempt(shown) ? (
              <DemoAttempt build={shown} />
            ) : (
              <>
                {isReview(shown) ? (
                  <ReviewedNote build={shown} />
                ) : (
                  shown.started_at && <Gate build={shown} />
                )}
                <BuildQuestions build={shown} past />
                <BuildTabs build={shown} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Demo attempts have figures, but no log and no diff. */
const DemoAttempt = ({ build }: { build: Build }) => (
  <>
    <Note>
      This attempt is demo data. It has no log, no change and nothing to review. It fills the charts of the
      demo workspace.
    </Note>
    <div className="build-tab">
      <ResultTab build={build} />
    </div>
  </>
);

/** Polls running builds often and builds in review less often, because someone else may review them. */
function paceOf(build: Build | undefined): number {
  if (!build || isOpen(build)) return OPEN_POLL_MS;
  if (build.status !== 'succeeded' || build.pushed_at || build.push_error) return REST_POLL_MS;
  if (build.review?.decision === 'rework') return REST_POLL_MS;
  return build.review ? OPEN_POLL_MS : REVIEW_POLL_MS;
}

function BuildActions({ build }: { build: Build }) {
  const [asking, setAsking] = useState<'cancel' | 'again'>();
  const open = isOpen(build);
  const again = !open && build.status !== 'succeeded' && !isReview(build);
  useCommands(
    useMemo(
      () => [
        ...(open && !build.cancel_requested_at
          ? [
              {
                id: 'build-cancel',
                label: 'Cancel this build',
                group: 'Build',
                keys: 'x',
                perform: () => setAsking('cancel'),
              },
            ]
          : []),
        ...(again
          ? [{ id: 'build-again', label: 'Build again', group: 'Build', perform: () => setAsking('again') }]
          : []),
      ],
      [open, build.cancel_requested_at, again],
    ),
  );
  return (
    <>
      <BuildStatus build={build} />
      {open && !build.cancel_requested_at && (
        <Button onClick={() => setAsking('cancel')}>Cancel build</Button>
      )}
      {again && (
        <Button tone="primary" onClick={() => setAsking('again')}>
          Build again
        </Button>
      )}
      {asking === 'cancel' && <CancelDialog build={build} onClose={() => setAsking(undefined)} />}
      {asking === 'again' && (
        <StartBuildDialog taskId={build.task_id} before={build} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

interface HeadProps {
  build: Build;
  card: { id: string; board_id: string; title: string } | undefined;
}

function BuildHead({ build, card }: HeadProps) {
  const desks = useResource('desks', listWorkstations, { freshMs: 60_000 });
  const deskId = build.workstation_id ?? build.wanted_workstation_id;
  const all = [...(desks.data?.workstations ?? []), ...(desks.data?.dormant ?? [])];
  const desk = all.find(({ workstation_id }) => workstation_id === deskId);
  const reason = build.review ? undefined : explain(build);
  const hostFeedback = describeHostFeedback(build);
  const troubled = build.silent || build.stalled || ['failed', 'timed_out', 'lost'].includes(build.status);
  return (
    <div className="build-head">
      <p className="build-facts">
        {card ? <Link to={cardAddress(card)}>Card {build.ref}</Link> : <span>Card {build.ref}</span>}
        <Attempts build={build} />
        <span>
          {coderName(build.coder)}
          {build.profile && <span className="muted mono"> {build.profile}</span>}
        </span>
        {deskId && (
          <span>
            on <Link to={`/dashboard/machines/${deskId}`}>{desk?.name ?? 'its desk'}</Link>
          </span>
        )}
        {build.local && <span>on their own machine</span>}
        {build.created_by && (
          <span className="muted">
            started by <ActorName actor={build.created_by} />
          </span>
        )}
        <span className="build-branch">
          <span className="mono">{branchOf(build)}</span>
          <CopyButton text={branchOf(build)} label="Copy" />
        </span>
      </p>
      {hostFeedback && <p className="muted">{hostFeedback}.</p>}
      <StatusStrip build={build} />
      {ranOutOfMoney(build) ? (
        <ContinueNote build={build} />
      ) : (
        reason && (
          <Reason troubled={troubled}>
            {reason}
            {build.waiting_for === 'budget' && (
              <>
                {' '}
                <Link to="/dashboard/spend">Spending</Link>
              </>
            )}
          </Reason>
        )
      )}
      {build.status === 'succeeded' && <DecisionNote build={build} />}
    </div>
  );
}

const Reason = ({ troubled, children }: { troubled: boolean; children: React.ReactNode }) =>
  troubled ? <Note tone="warn">{children}</Note> : <p className="muted">{children}</p>;

function Attempts({ build }: { build: Build }) {
  const list = useResource(
    `builds:card:${build.task_id}`,
    (signal) => listBuildsOfCard(build.task_id, signal),
    {
      freshMs: 5_000,
    },
  );
  const others = list.data?.builds.filter((each) => !isReview(each)) ?? [];
  if (isReview(build)) return <span>Review of attempt {build.attempt}</span>;
  if (others.length < 2) return <span>Attempt {build.attempt}</span>;
  return (
    <span className="attempts">
      Attempt
      {[...others].reverse().map((each) => (
        <Link
          key={each.build_id}
          to={buildAddress(each.build_id)}
          className="attempt"
          aria-current={each.build_id === build.build_id ? 'page' : undefined}
          aria-label={`Attempt ${each.attempt}`}
        >
          {each.attempt}
        </Link>
      ))}
    </span>
  );
}

/** Shows the log of a running build and the diff of a finished one, without switching tabs later. */
const usualTab = (build: Build): Tab => (build.status === 'succeeded' && build.head_sha ? 'changes' : 'log');

function BuildTabs({ build }: { build: Build }) {
  const { query } = usePlace();
  const usual = useRef(usualTab(build));
  const asked = query.get('tab') as Tab | null;
  const tab = asked && TABS.includes(asked) ? asked : usual.current;
  const [book] = useState(() => new LogBook());
  const comments = useComments(build);
  const reviewable = build.status === 'succeeded' && !isReview(build);
  const tabs = TABS.map((each) => ({
    to: withParameters({ tab: each }),
    label: each === 'changes' && build.diff ? `Changes (${build.diff.files})` : TAB_WORDS[each],
    current: each === tab,
  }));
  return (
    <>
      <Tabs label="Parts of the build" tabs={tabs} />
      {reviewable && !build.review && tab === 'log' && (
        <Note tone="good">
          It succeeded. <Link to={withParameters({ tab: 'changes' })}>Review the changes</Link>
        </Note>
      )}
      <div className="build-tab">
        {tab === 'log' && <LogTab build={build} book={book} />}
        {tab === 'changes' && <ChangesTab build={build} comments={comments} />}
        {tab === 'brief' && <BriefTab build={build} />}
        {tab === 'impact' && <ImpactTab build={build} />}
        {tab === 'result' && <ResultTab build={build} />}
      </div>
      {tab !== 'log' && (reviewable || comments.unsent.length > 0) && (
        <ReviewBar build={build} comments={comments} />
      )}
    </>
  );
}
