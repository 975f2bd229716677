import { useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { acceptBuild, askForRework, type Build } from '../../api/builds.js';
import { putResource, refresh } from '../../api/resource.js';
import { useCommands } from '../../shell/commands.js';
import { Link, navigate } from '../../shell/router.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { useDraft } from '../../ui/draft.js';
import { Note } from '../../ui/feedback.js';
import { TextArea } from '../../ui/field.js';
import { useToast } from '../../ui/toast.js';
import { buildAddress } from '../build-words.js';
import { useWishKey } from '../wish-key.js';
import type { Comments } from './comments.js';
import { DecidedDialog, useDecidedMeanwhile } from './decision.js';
import { type DraftComment, toReview, WHOLE } from './remarks.js';

interface ReviewProps {
  build: Build;
  comments: Comments;
}

/** What a person says to a build that succeeded: take it, or have it done again with remarks. Once, for everybody. */
export function ReviewBar({ build, comments }: ReviewProps) {
  const [asking, setAsking] = useState<'accept' | 'rework'>();
  const decided = build.review !== null;
  useCommands(
    useMemo(
      () =>
        decided
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
                label: 'Ask for rework',
                group: 'Build',
                keys: 'r',
                perform: () => setAsking('rework'),
              },
            ],
      [decided],
    ),
  );
  const count = comments.written.length;
  return (
    <>
      {!decided && (
        <section className="review-bar" aria-label="Review">
          <div className="review-text">
            <PendingText count={count} />
          </div>
          <Button onClick={() => setAsking('rework')}>
            {count > 0 ? `Ask for rework (${count})` : 'Ask for rework'}
          </Button>
          <Button tone="primary" onClick={() => setAsking('accept')}>
            Accept
          </Button>
        </section>
      )}
      {asking === 'accept' && (
        <AcceptDialog build={build} count={count} onClose={() => setAsking(undefined)} />
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

interface AcceptProps {
  build: Build;
  count: number;
  onClose(): void;
}

function AcceptDialog({ build, count, onClose }: AcceptProps) {
  const action = useAction(async () => {
    const changed = await acceptBuild(build.build_id);
    putResource<Build>(`build:${build.build_id}`, () => changed);
    refresh('builds:');
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
        The branch <span className="mono">{build.branch}</span> is pushed to the repository of the project.
        Nothing is merged: that stays with you and your host.
      </p>
      {count > 0 && (
        <Note tone="warn">
          Your {count === 1 ? 'comment is' : `${count} comments are`} not sent with it. Ask for rework to send{' '}
          {count === 1 ? 'it' : 'them'}.
        </Note>
      )}
    </FormDialog>
  );
}

interface ReworkProps {
  build: Build;
  comments: Comments;
  onClose(): void;
}

function ReworkDialog({ build, comments, onClose }: ReworkProps) {
  const toast = useToast();
  const general = useDraft(`rework:${build.build_id}`, '');
  const keyFor = useWishKey();
  const action = useAction(async () => {
    const said = [...wholeOf(general.value), ...comments.written].map(toReview);
    const next = await askForRework(build.build_id, said, keyFor(said));
    comments.clear();
    general.clear();
    refresh('builds:');
    refresh(`build:${build.build_id}`);
    toast({ text: `Attempt ${next.attempt} is queued, with your comments in its brief` });
    navigate(buildAddress(next.build_id));
  });
  const review = useDecidedMeanwhile(build, action.fault);
  const count = comments.written.length + wholeOf(general.value).length;
  if (review) return <DecidedDialog build={build} review={review} comments={count} onClose={onClose} />;
  const nothing = comments.written.length === 0 && general.value.trim() === '';
  return (
    <FormDialog
      title="Ask for rework"
      shape="wide"
      submit="Send and build again"
      action={action}
      disabled={nothing}
      dirty={false}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p className="muted">
        A new attempt goes on from these commits. The coder finds your comments in its brief.
      </p>
      {comments.written.length > 0 && (
        <ul className="rework-list">
          {comments.written.map((comment) => (
            <li key={`${comment.path}:${comment.side}:${comment.line}`}>
              <span className="mono small">{placeWords(comment)}</span>
              <span className="prose">{comment.body}</span>
            </li>
          ))}
        </ul>
      )}
      <TextArea
        label="About the change as a whole"
        rows={3}
        maxLength={19_000}
        placeholder={comments.written.length > 0 ? 'Optional' : 'What should be different, and why?'}
        value={general.value}
        onChange={(event) => general.set(event.target.value)}
      />
      <OpenBuildLink fault={action.fault} />
    </FormDialog>
  );
}

const wholeOf = (body: string): DraftComment[] =>
  body.trim() ? [{ path: WHOLE, side: 'file', line: null, quote: '', body, editing: false }] : [];

const placeWords = ({ path, side, line }: DraftComment): string =>
  side === 'file' ? path : `${path}:${line}${side === 'old' ? ' (removed)' : ''}`;

/** A card has one build at a time: the one in the way is a click away. */
export function OpenBuildLink({ fault }: { fault: { detail: unknown } | undefined }) {
  const detail = fault?.detail as { error?: string; build_id?: string } | undefined;
  if (detail?.error !== 'build_open' || !detail.build_id) return null;
  return <Link to={buildAddress(detail.build_id)}>Open the build that is under way</Link>;
}
