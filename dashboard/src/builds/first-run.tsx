import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { startBuild } from '../api/builds.js';
import { refresh, useResource } from '../api/resource.js';
import { isSimulatedAddress } from '../forges/forge-words.js';
import { OutsideLink } from '../forges/outside-link.js';
import { Link, navigate } from '../shell/router.js';
import { useIsGuest, useSession } from '../shell/session.js';
import { Button, IconButton } from '../ui/button.js';
import { ErrorNote } from '../ui/feedback.js';
import { CheckIcon, CloseIcon } from '../ui/icons.js';
import { type Beginning, type FirstPull, readBeginning, type Suggestion } from './beginning.js';
import { buildAddress } from './build-words.js';
import { type FirstRunState, readFirstRun, writeFirstRun } from './first-run-state.js';
import { WhatNext } from './what-next.js';

const POLL_MS = 5_000;

/**
 * A new workspace's steps to its first accepted build, or to the merge if there is a repository host. Every
 * step completes automatically.
 */
export function FirstRun() {
  const guest = useIsGuest();
  const { brand } = useSession();
  const [state, setState] = useState(() => readFirstRun(brand.brand_id));
  const over = state === 'dismissed' || state === 'reviewed';
  const facts = useResource(guest || over ? null : `builds:beginning:${brand.brand_id}`, readBeginning, {
    pollMs: POLL_MS,
  });
  const accepted = facts.data?.accepted;
  function move(to: FirstRunState) {
    writeFirstRun(brand.brand_id, to);
    setState(to);
  }
  const settle = useEffectEvent((isAccepted: boolean) => {
    // Only users who were shown the first steps see what comes next.
    if (state === null) move(isAccepted ? 'reviewed' : 'begun');
  });
  useEffect(() => {
    if (accepted !== undefined) settle(accepted);
  }, [accepted]);
  if (guest || over || !facts.data || state === null) return null;
  const { pull } = facts.data;
  if (facts.data.accepted && (!pull || isOver(pull)))
    return <WhatNext merged={pull?.state === 'merged'} onClose={() => move('reviewed')} />;
  const steps = stepsOf(facts.data);
  const next = steps.findIndex(({ done }) => !done);
  return (
    <section className="first-run" aria-label="First steps">
      <header className="first-run-head">
        <div>
          <h2>Your first build</h2>
          <p className="muted">
            From a repository to a change that {pull ? 'is merged' : 'you accepted'}: {steps.length} steps.
          </p>
        </div>
        <span className="muted small numbers">
          {steps.filter(({ done }) => done).length} of {steps.length} done
        </span>
        <IconButton label="Do not show the first steps again" onClick={() => move('dismissed')}>
          <CloseIcon size={16} />
        </IconButton>
      </header>
      <ol className="first-steps">
        {steps.map((step, at) => (
          <li
            key={step.title}
            className={stepClass(step, at === next)}
            aria-current={at === next ? 'step' : undefined}
          >
            <span className="step-sign" aria-hidden="true">
              {step.done ? <CheckIcon size={14} /> : at + 1}
            </span>
            <div className="first-step-text">
              <strong>
                {step.title}
                <span className="off-screen">{step.done ? ', done' : ''}</span>
              </strong>
              {!step.done && <p className="muted small">{step.text}</p>}
            </div>
            {at === next && step.action}
          </li>
        ))}
      </ol>
    </section>
  );
}

const stepClass = ({ done }: Step, next: boolean): string =>
  ['first-step', done && 'step-done', next && 'step-pending'].filter(Boolean).join(' ');

interface Step {
  title: string;
  done: boolean;
  text: string;
  action: ReactNode;
}

function stepsOf(facts: Beginning): Step[] {
  const { project, desk, suggestion, build, cards } = facts;
  return [
    {
      title: 'Connect a repository',
      done: project.ready,
      text: project.text,
      action: <StepLink to="/dashboard/lessons">Projects</StepLink>,
    },
    {
      title: 'Connect a desk',
      done: desk.ready,
      text: desk.text,
      action: <StepLink to="/dashboard/machines">Machines</StepLink>,
    },
    {
      title: 'Create a card',
      done: suggestion !== undefined || build !== undefined,
      text:
        cards > 0
          ? 'Choose a project on a card, so that the coder knows which code to change.'
          : 'Describe the change on a card and choose its project.',
      action: <StepLink to="/dashboard/boards">Boards</StepLink>,
    },
    {
      title: 'Start a build',
      done: build !== undefined,
      text: suggestion
        ? `${suggestion.ref}, “${suggestion.title}”, is ready to be built.`
        : 'Open the card and press “Start a build”.',
      action: suggestion ? <StartNow suggestion={suggestion} /> : null,
    },
    {
      title: 'Review the change',
      done: facts.reviewed,
      text: reviewText(build),
      action: <BuildLink build={build} />,
    },
    {
      title: 'Accept the change',
      done: facts.accepted,
      text: acceptText(facts),
      action: <BuildLink build={build} />,
    },
    ...(facts.pull ? [mergeStep(facts.pull)] : []),
  ];
}

const isOver = ({ state }: FirstPull): boolean => state === 'merged' || state === 'closed';

/** With a repository host, the merge is the last step. */
function mergeStep(pull: FirstPull): Step {
  const simulated = pull.url !== null && isSimulatedAddress(pull.url);
  return {
    title: 'Follow its pull request to the merge',
    done: isOver(pull),
    text: pull.number
      ? `Pull request #${pull.number} is ${pull.state ?? 'open'}${simulated ? ' on the simulated host of this demo' : ''}: merge it there to finish the card.`
      : 'Accept the build to open it on the repository host.',
    action: pull.url && (
      <OutsideLink href={pull.url} className="button button-primary button-small">
        {`Open pull request #${pull.number}`}
      </OutsideLink>
    ),
  };
}

const FAILED = 'The last attempt failed. See why and build again.';

function reviewText(build: Beginning['build']): string {
  if (!build) return 'Read the change, comment on a line and request changes.';
  if (build.open) return 'The coder is working. Watch its log.';
  return build.succeeded
    ? 'The change is ready. Press a line number to comment, then request changes.'
    : FAILED;
}

function acceptText({ build, reviewed }: Beginning): string {
  if (!reviewed || !build) return 'Accepting pushes the branch.';
  if (build.open) return `Attempt ${build.attempt} answers your comments. Watch its log.`;
  return build.succeeded ? `Attempt ${build.attempt} answered your comments. Review and accept it.` : FAILED;
}

const BuildLink = ({ build }: Pick<Beginning, 'build'>) =>
  build ? <StepLink to={buildAddress(build.build_id)}>{build.open ? 'Watch' : 'Open'}</StepLink> : null;

const StepLink = ({ to, children }: { to: string; children: string }) => (
  <Link className="button button-primary button-small" to={to}>
    {children}
  </Link>
);

function StartNow({ suggestion }: { suggestion: Suggestion }) {
  const start = useAction(async () => {
    const build = await startBuild(suggestion.task_id, {});
    refresh('builds:');
    navigate(buildAddress(build.build_id));
  });
  return (
    <div className="first-step-action">
      <Button small tone="primary" busy={start.busy} onClick={() => void start.run()}>
        {`Build ${suggestion.ref}`}
      </Button>
      {start.fault && <ErrorNote fault={start.fault} />}
    </div>
  );
}
