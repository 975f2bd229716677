import { useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { acceptBuild, askForRework, type Build } from '../../api/builds.js';
import { putResource, refresh } from '../../api/resource.js';
import { useCommands } from '../../shell/commands.js';
import { Link, navigate } from '../../shell/router.js';
import { Button } from '../../ui/button.js';
import { Confirm, FormDialog } from '../../ui/dialog.js';
import { Time } from '../../ui/display.js';
import { useDraft } from '../../ui/draft.js';
import { Note } from '../../ui/feedback.js';
import { TextArea } from '../../ui/field.js';
import { useToast } from '../../ui/toast.js';
import { buildAddress } from '../build-words.js';
import { useWishKey } from '../wish-key.js';
import type { Comments } from './comments.js';
import { type DraftComment, toReview, WHOLE } from './remarks.js';

interface ReviewProps {
  build: Build;
  comments: Comments;
  accepted: boolean;
  onAccepted(): void;
}

/** What a person says to a build that succeeded: take it, or have it done again with remarks. */
export function ReviewBar({ build, comments, accepted, onAccepted }: ReviewProps) {
  const [asking, setAsking] = useState<'accept' | 'rework'>();
  useCommands(
    useMemo(() => {
      const rework = {
        id: 'build-rework',
        label: 'Ask for rework',
        group: 'Build',
        keys: 'r',
        perform: () => setAsking('rework'),
      };
      const accept = {
        id: 'build-accept',
        label: 'Accept this build',
        group: 'Build',
        keys: 'a',
        perform: () => setAsking('accept'),
      };
      return accepted ? [rework] : [accept, rework];
    }, [accepted]),
  );
  const count = comments.written.length;
  return (
    <section className="review-bar" aria-label="Review">
      <div className="review-text">
        {accepted ? <PushState build={build} /> : <PendingText count={count} />}
      </div>
      <Button onClick={() => setAsking('rework')}>
        {count > 0 ? `Ask for rework (${count})` : 'Ask for rework'}
      </Button>
      {!accepted && (
        <Button tone="primary" onClick={() => setAsking('accept')}>
          Accept
        </Button>
      )}
      {asking === 'accept' && (
        <AcceptDialog
          build={build}
          count={count}
          onAccepted={onAccepted}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === 'rework' && (
        <ReworkDialog build={build} comments={comments} onClose={() => setAsking(undefined)} />
      )}
    </section>
  );
}

function PendingText({ count }: { count: number }) {
  if (count === 0) return <span className="muted">Waits for your review.</span>;
  return <span>{count === 1 ? '1 comment' : `${count} comments`}, not sent yet.</span>;
}

/** Where an accepted branch is on its way into the repository. */
export function PushState({ build }: { build: Build }) {
  if (build.pushed_at)
    return (
      <span className="good">
        Accepted; <span className="mono">{build.branch}</span> was pushed <Time at={build.pushed_at} />.
      </span>
    );
  if (build.push_error) return <span className="bad">Accepted, but not pushed: {build.push_error}</span>;
  return (
    <span role="status">
      Accepted; <span className="mono">{build.branch}</span> is being pushed…
    </span>
  );
}

interface AcceptProps {
  build: Build;
  count: number;
  onAccepted(): void;
  onClose(): void;
}

function AcceptDialog({ build, count, onAccepted, onClose }: AcceptProps) {
  return (
    <Confirm
      title="Accept this build?"
      submit="Accept and push"
      tone="primary"
      onClose={onClose}
      perform={async () => {
        const changed = await acceptBuild(build.build_id);
        putResource<Build>(`build:${build.build_id}`, () => changed);
        onAccepted();
        refresh('builds:');
      }}
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
    </Confirm>
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
    toast({ text: `Attempt ${next.attempt} is queued, with your comments in its brief` });
    navigate(buildAddress(next.build_id));
  });
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
