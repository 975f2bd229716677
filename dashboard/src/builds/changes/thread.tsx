import { memo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { addComment, type BuildComment, changeComment, deleteComment } from '../../api/builds.js';
import { Link } from '../../shell/router.js';
import { useSession } from '../../shell/session.js';
import { ActorAvatar } from '../../ui/actor.js';
import { Button } from '../../ui/button.js';
import { Badge, Time } from '../../ui/display.js';
import { useDraft } from '../../ui/draft.js';
import { ErrorNote } from '../../ui/feedback.js';
import { Markdown } from '../../ui/markdown.js';
import { buildAddress } from '../build-words.js';
import { WordsForm } from './comment-box.js';
import { hideComment, showComment } from './comments.js';
import { LessonFromComment } from './lesson-from-comment.js';
import { placeWords, spotOfThread, type Thread } from './remarks.js';

interface ThreadProps {
  thread: Thread;
  /** The build whose page is open; replies are posted to it. */
  buildId: string;
}

/** A comment thread; a resolved one is collapsed to one line. */
export const ThreadView = memo(
  function ThreadView({ thread, buildId }: ThreadProps) {
    const { first } = thread;
    const place = placeWords(spotOfThread(thread));
    const body = <ThreadBody thread={thread} buildId={buildId} />;
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
      <div className="thread" role="group" aria-label={`Comments on ${place}`} data-thread={first.comment_id}>
        {first.resolved ? (
          <details className="thread-resolved">
            <summary>
              Resolved{first.resolved.by && ` by ${first.resolved.by.name}`} <Time at={first.resolved.at} />
            </summary>
            {body}
          </details>
        ) : (
          body
        )}
      </div>
    );
  },
  (before, after) =>
    before.buildId === after.buildId &&
    before.thread.first === after.thread.first &&
    before.thread.answers.length === after.thread.answers.length &&
    before.thread.answers.every((answer, at) => answer === after.thread.answers[at]),
);

function ThreadBody({ thread, buildId }: ThreadProps) {
  const { first, answers } = thread;
  const place = placeWords(spotOfThread(thread));
  const [doing, setDoing] = useState<'answer' | 'lesson'>();
  const resolve = useAction(async (resolved: boolean) =>
    showComment(buildId, await changeComment(buildId, first.comment_id, { resolved })),
  );
  return (
    <>
      {first.outdated && (
        <div className="thread-outdated">
          <Badge tone="warn">outdated</Badge>{' '}
          <span className="muted small">
            {first.path}:{first.line} of attempt {first.attempt} no longer exists
          </span>
          {first.context && <pre className="thread-context">{first.context}</pre>}
        </div>
      )}
      {[first, ...answers].map((comment) => (
        <CommentView
          key={comment.comment_id}
          comment={comment}
          buildId={buildId}
          place={place}
          answered={comment === first && answers.some(({ draft }) => !draft)}
        />
      ))}
      {doing === 'answer' ? (
        <AnswerForm first={first} buildId={buildId} onDone={() => setDoing(undefined)} />
      ) : (
        !first.draft && (
          <div className="form-bar">
            <Button small onClick={() => setDoing('answer')}>
              Answer
            </Button>
            <Button
              small
              tone="quiet"
              busy={resolve.busy}
              onClick={() => void resolve.run(first.resolved === null)}
            >
              {first.resolved ? 'Reopen' : 'Resolve'}
            </Button>
            <Button small tone="quiet" onClick={() => setDoing('lesson')}>
              Write a lesson from this comment
            </Button>
          </div>
        )
      )}
      {resolve.fault && <ErrorNote fault={resolve.fault} />}
      {doing === 'lesson' && (
        <LessonFromComment buildId={buildId} comment={first} onClose={() => setDoing(undefined)} />
      )}
    </>
  );
}

interface CommentProps {
  comment: BuildComment;
  buildId: string;
  place: string;
  answered: boolean;
}

function CommentView({ comment, buildId, place, answered }: CommentProps) {
  const { user } = useSession();
  const [editing, setEditing] = useState(false);
  const remove = useAction(async () => {
    await deleteComment(buildId, comment.comment_id);
    hideComment(buildId, comment.comment_id);
  });
  const own = comment.author?.user_id === user.user_id;
  const name = comment.author?.name ?? 'Former member';
  if (editing) return <EditForm comment={comment} buildId={buildId} onDone={() => setEditing(false)} />;
  return (
    <article className={comment.draft ? 'comment-said comment-draft' : 'comment-said'}>
      <div className="remark-head">
        <span className="comment-who">
          <ActorAvatar actor={comment.author} nobody={name} size={20} />
          {comment.draft ? (
            <>
              <Badge tone="accent">draft</Badge>
              <span className="muted small">
                {comment.reply_to ? 'Your reply' : `Your comment on ${place}`}, not sent yet
              </span>
            </>
          ) : (
            <>
              <strong>{name}</strong> <Time at={comment.created_at} />
              {comment.build_id !== buildId && (
                <Link className="small" to={buildAddress(comment.build_id)}>
                  attempt {comment.attempt}
                </Link>
              )}
            </>
          )}
        </span>
        {own && comment.author?.agent_id === null && (
          <Button small tone="quiet" onClick={() => setEditing(true)}>
            Edit
          </Button>
        )}
        {own && !answered && (
          <Button small tone="quiet" busy={remove.busy} onClick={() => void remove.run()}>
            {comment.draft ? 'Remove' : 'Delete'}
          </Button>
        )}
      </div>
      <Markdown text={comment.body} />
      {remove.fault && <ErrorNote fault={remove.fault} />}
    </article>
  );
}

interface FormProps {
  buildId: string;
  onDone(): void;
}

function AnswerForm({ first, buildId, onDone }: FormProps & { first: BuildComment }) {
  const words = useDraft(`answer:${first.comment_id}`, '');
  const empty = words.value.trim() === '';
  const action = useAction(async (draft: boolean) => {
    const body = words.value.trim();
    showComment(
      buildId,
      await addComment(buildId, { reply_to: first.comment_id, body, ...(draft && { draft }) }),
    );
    words.clear();
    onDone();
  });
  return (
    <WordsForm
      label={`Reply to ${first.author?.name ?? 'this comment'}`}
      placeholder="Answer"
      value={words.value}
      onChange={words.set}
      onKeep={() => !empty && void action.run(false)}
      onLeave={onDone}
    >
      <Button type="submit" small tone="primary" busy={action.busy} disabled={empty}>
        Send reply
      </Button>
      <Button small disabled={empty || action.busy} onClick={() => void action.run(true)}>
        Keep as draft
      </Button>
      <Button small tone="quiet" onClick={onDone}>
        Cancel
      </Button>
      {action.fault && <ErrorNote fault={action.fault} />}
    </WordsForm>
  );
}

function EditForm({ comment, buildId, onDone }: FormProps & { comment: BuildComment }) {
  const [body, setBody] = useState(comment.body);
  const empty = body.trim() === '';
  const action = useAction(async () => {
    showComment(buildId, await changeComment(buildId, comment.comment_id, { body: body.trim() }));
    onDone();
  });
  return (
    <WordsForm
      label="Your comment"
      placeholder="What should be different, and why?"
      value={body}
      onChange={setBody}
      onKeep={() => !empty && void action.run()}
      onLeave={onDone}
    >
      <Button type="submit" small tone="primary" busy={action.busy} disabled={empty}>
        Save
      </Button>
      <Button small tone="quiet" onClick={onDone}>
        Cancel
      </Button>
      {action.fault && <ErrorNote fault={action.fault} />}
    </WordsForm>
  );
}
