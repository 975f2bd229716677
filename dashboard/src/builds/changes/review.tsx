import { useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { acceptBuild, askForRework, type Build } from '../../api/builds.js';
import { putResource, refresh } from '../../api/resource.js';
import { useLeadsOn } from '../../forges/after-accept.js';
import { useCommands } from '../../shell/commands.js';
import { Link, navigate } from '../../shell/router.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { useDraft } from '../../ui/draft.js';
import { ErrorNote, Note } from '../../ui/feedback.js';
import { TextArea } from '../../ui/field.js';
import { useToast } from '../../ui/toast.js';
import { buildAddress } from '../build-words.js';
import { useWishKey } from '../wish-key.js';
import { LONGEST_COMMENT } from './comment-box.js';
import type { Comments } from './comments.js';
import { DecidedDialog, useDecidedMeanwhile } from './decision.js';
import { addressOfSpot, spotOfThread } from './remarks.js';

interface ReviewProps {
  build: Build;
  comments: Comments;
}

/** Accepts a finished build or requests changes; a build has a single decision. */
export function ReviewBar({ build, comments }: ReviewProps) {
  const [asking, setAsking] = useState<'accept' | 'rework'>();
  // Only succeeded builds can be decided; comments can be sent to any build.
  const open = build.status === 'succeeded' && build.review === null;
  useCommands(
    useMemo(
      () =>
        !open
          ? []
          : [
              {
                id: 'build-accept',
                label: 'Accept this build',
                group: 'Build',
                keys: 'a',
                perform: () => setAsking('accept'),
              },
              {
                id: 'build-rework',
                label: 'Request changes',
                group: 'Build',
                keys: 'r',
                perform: () => setAsking('rework'),
              },
            ],
      [open],
    ),
  );
  const count = comments.unsent.length;
  return (
    <>
      {(open || count > 0) && (
        <section className="review-bar" aria-label="Review">
          <div className="review-text">
            <PendingText count={count} />
          </div>
          {count > 0 && <SendButton comments={comments} />}
          {open && (
            <>
              <Button onClick={() => setAsking('rework')}>
                {count > 0 ? `Request changes (${count})` : 'Request changes'}
              </Button>
              <Button tone="primary" onClick={() => setAsking('accept')}>
                Accept
              </Button>
            </>
          )}
        </section>
      )}
      {asking === 'accept' && (
        <AcceptDialog build={build} comments={comments} onClose={() => setAsking(undefined)} />
      )}
      {asking === 'rework' && (
        <ReworkDialog build={build} comments={comments} onClose={() => setAsking(undefined)} />
      )}
    </>
  );
}

function PendingText({ count }: { count: number }) {
  if (count === 0) return <span className="muted">Waits for a review.</span>;
  return <span>{count === 1 ? '1 comment' : `${count} comments`}, not sent yet.</span>;
}

function SendButton({ comments }: { comments: Comments }) {
  const toast = useToast();
  const action = useAction(async () => {
    await comments.send();
    toast({ text: 'Your comments are sent' });
  });
  return (
    <>
      {action.fault && <ErrorNote fault={action.fault} />}
      <Button tone="quiet" busy={action.busy} onClick={() => void action.run()}>
        Send without a decision
      </Button>
    </>
  );
}

interface DialogProps extends ReviewProps {
  onClose(): void;
}

function AcceptDialog({ build, comments, onClose }: DialogProps) {
  const leadsOn = useLeadsOn(build.project_id);
  const count = comments.unsent.length;
  const action = useAction(async () => {
    await comments.keepAll();
    const changed = await acceptBuild(build.build_id);
    putResource<Build>(`build:${build.build_id}`, () => changed);
    refresh('builds:');
    refresh('remarks:');
    onClose();
  });
  const review = useDecidedMeanwhile(build, action.fault);
  if (review) return <DecidedDialog build={build} review={review} comments={count} onClose={onClose} />;
  return (
    <FormDialog
      title="Accept this build?"
      submit="Accept and push"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>
        Guildhall pushes the branch to the project’s repository. It does not merge it.{' '}
        {leadsOn
          ? 'Guildhall opens a pull request. The card is done when it is merged.'
          : 'The card is done when the branch is pushed.'}
      </p>
      {count > 0 && (
        <Note>
          Your {count === 1 ? 'comment is' : `${count} comments are`} sent with it; no new attempt starts from{' '}
          {count === 1 ? 'it' : 'them'}. To start one, request changes.
        </Note>
      )}
    </FormDialog>
  );
}

function ReworkDialog({ build, comments, onClose }: DialogProps) {
  const toast = useToast();
  const general = useDraft(`rework:${build.build_id}`, '');
  const keyFor = useWishKey();
  const { unsent, threads } = comments;
  const whole = general.value.trim();
  const action = useAction(async () => {
    await comments.keepAll();
    const next = await askForRework(build.build_id, whole, keyFor([whole, unsent]));
    general.clear();
    refresh('builds:');
    refresh('remarks:');
    refresh(`build:${build.build_id}`);
    toast({ text: `Attempt ${next.attempt} is queued, with your comments in its brief` });
    navigate(buildAddress(next.build_id));
  });
  const review = useDecidedMeanwhile(build, action.fault);
  const count = unsent.length + (whole ? 1 : 0);
  if (review) return <DecidedDialog build={build} review={review} comments={count} onClose={onClose} />;
  const open = threads.filter(({ first }) => !first.draft && !first.resolved);
  const listed = [
    ...open.map((thread) => ({ spot: spotOfThread(thread), body: thread.first.body })),
    ...unsent,
  ];
  return (
    <FormDialog
      title="Request changes"
      shape="wide"
      submit="Send and build again"
      action={action}
      disabled={listed.length === 0 && !whole}
      dirty={false}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p className="muted">
        A new attempt starts from these commits. Its brief contains every unresolved comment.
      </p>
      {listed.length > 0 && (
        <ul className="rework-list">
          {listed.map(({ spot, body }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is read, not changed
            <li key={at}>
              <span className="mono small">{addressOfSpot(spot)}</span>
              <span className="prose">{body}</span>
            </li>
          ))}
        </ul>
      )}
      <TextArea
        label="Comment on the whole change"
        rows={3}
        maxLength={LONGEST_COMMENT}
        placeholder={listed.length > 0 ? 'Optional' : 'What should be different, and why?'}
        value={general.value}
        onChange={(event) => general.set(event.target.value)}
      />
      <OpenBuildLink fault={action.fault} />
    </FormDialog>
  );
}

/** A card has one open build at a time, so link to the build that blocks this action. */
export function OpenBuildLink({ fault }: { fault: { detail: unknown } | undefined }) {
  const detail = fault?.detail as { error?: string; build_id?: string } | undefined;
  if (detail?.error !== 'build_open' || !detail.build_id) return null;
  return <Link to={buildAddress(detail.build_id)}>Open the running build</Link>;
}
