import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { addComment, type Comment, changeComment, deleteComment, listComments } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { useIsAdmin, useSession } from '../shell/session.js';
import { ActorAvatar } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Time } from '../ui/display.js';
import { type Draft, useDraft } from '../ui/draft.js';
import { ErrorNote, Loaded, More } from '../ui/feedback.js';
import { FORMER_MEMBER } from '../ui/format.js';
import { Markdown } from '../ui/markdown.js';
import { Menu } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { FileButton } from './card-attachments.js';
import { CommentFiles, WaitingFiles } from './comment-files.js';
import { fileTarget } from './file-transfer.js';
import { MarkdownField } from './markdown-field.js';
import { startUploads } from './uploads.js';
import { describe } from './use-board.js';
import type { Directory } from './use-directory.js';

interface CommentsProps {
  cardId: string;
  rights: Rights;
  directory: Directory;
  draft: Draft<string>;
  files: File[];
  onFiles(files: File[]): void;
}

export function CardComments({ cardId, rights, directory, draft, files, onFiles }: CommentsProps) {
  const [pages, setPages] = useState(1);
  const comments = useResource(
    `comments:${cardId}:${pages}`,
    (signal) => listComments(cardId, pages, signal),
    { keep: true },
  );
  const names = directory.people.map(({ name }) => name);
  const shown = comments.data?.comments.length ?? 0;
  const total = comments.data?.total ?? 0;
  return (
    <section className="comments" aria-label="Comments">
      <h3 tabIndex={-1}>Comments {total > 0 && <span className="muted">{total}</span>}</h3>
      <Loaded of={comments} rows={2}>
        {(data) => (
          <ol className="comment-list">
            {data.comments.map((comment) => (
              <CommentItem
                key={comment.id}
                comment={comment}
                rights={rights}
                names={names}
                reload={comments.reload}
              />
            ))}
            {data.comments.length === 0 && <li className="muted small">No comments yet.</li>}
          </ol>
        )}
      </Loaded>
      <More
        shown={shown}
        total={total}
        noun="comments"
        readMore={shown < total ? () => setPages(pages + 1) : undefined}
        busy={comments.refreshing}
      />
      {rights.comment && (
        <CommentForm
          cardId={cardId}
          draft={draft}
          files={files}
          onFiles={onFiles}
          names={names}
          reload={comments.reload}
        />
      )}
    </section>
  );
}

interface FormProps {
  cardId: string;
  draft: Draft<string>;
  files: File[];
  onFiles(files: File[]): void;
  names: string[];
  reload(): void;
}

/** Restores the focus after the focused element is removed. */
const focusForm = () =>
  setTimeout(() => document.querySelector<HTMLElement>('.comment-form textarea, .comments h3')?.focus(), 50);

const isSending = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && (event.metaKey || event.ctrlKey);

function CommentForm({ cardId, draft, files, onFiles, names, reload }: FormProps) {
  const toast = useToast();
  const takeBack = async (commentId: string) => {
    try {
      await deleteComment(cardId, commentId);
      reload();
      toast({ text: 'Comment deleted' });
    } catch (error) {
      toast({ text: `Not undone: ${describe(error)}`, tone: 'error' });
    }
  };
  const action = useAction(async () => {
    // A comment needs text, so a comment with only files uses their names.
    const words = draft.value.trim() ? draft.value : files.map(({ name }) => name).join(', ');
    const comment = await addComment(cardId, words);
    startUploads(cardId, files, comment.id);
    draft.clear();
    onFiles([]);
    reload();
    focusForm();
    toast({
      text: 'Comment sent',
      action: { label: 'Undo', perform: () => void takeBack(comment.id) },
    });
  });
  const isSomething = draft.value.trim() !== '' || files.length > 0;
  const send = () => isSomething && void action.run();
  const take = (more: File[]) => onFiles([...files, ...more]);
  function submit(event: FormEvent) {
    event.preventDefault();
    send();
  }
  return (
    <form
      className="stack comment-form"
      onSubmit={submit}
      onKeyDown={(event) => isSending(event) && send()}
      {...fileTarget(take)}
    >
      <MarkdownField label="Add a comment" rows={3} value={draft.value} onChange={draft.set} names={names} />
      <WaitingFiles files={files} onChange={onFiles} />
      {action.fault && <ErrorNote fault={action.fault} />}
      {isSomething && (
        <div className="form-bar">
          <Button type="submit" busy={action.busy}>
            Comment
          </Button>
          <FileButton onFiles={take} />
        </div>
      )}
    </form>
  );
}

interface ItemProps {
  comment: Comment;
  rights: Rights;
  names: string[];
  reload(): void;
}

function CommentItem({ comment, rights, names, reload }: ItemProps) {
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const isOwn = comment.author?.user_id === user.user_id;
  // Users may delete a comment that their agent wrote, but not edit it.
  const maySayOtherwise = isOwn && comment.author?.agent_id === null && rights.comment;
  const author = comment.author?.name ?? FORMER_MEMBER;
  const items = [
    ...(maySayOtherwise ? [{ label: 'Edit', perform: () => setEditing(true) }] : []),
    ...((isOwn && rights.comment) || isAdmin
      ? [{ label: 'Delete…', tone: 'danger' as const, perform: () => setDeleting(true) }]
      : []),
  ];
  return (
    <li className="comment" ref={item}>
      <ActorAvatar actor={comment.author} size={26} />
      <div>
        <div className="comment-head small">
          <strong>{author}</strong>
          <span className="muted">
            <Time at={comment.created_at} />
          </span>
          {items.length > 0 && <Menu label={`More on the comment of ${author}`} items={items} />}
        </div>
        {editing ? (
          <CommentEdit
            comment={comment}
            names={names}
            reload={reload}
            onClose={() => {
              setEditing(false);
              item.current?.querySelector<HTMLElement>('.menu button')?.focus();
            }}
          />
        ) : (
          <Markdown text={comment.body} />
        )}
        <CommentFiles cardId={comment.task_id} commentId={comment.id} rights={rights} />
      </div>
      {deleting && (
        <Confirm
          title="Delete this comment?"
          submit="Delete comment"
          onClose={() => setDeleting(false)}
          perform={async () => {
            await deleteComment(comment.task_id, comment.id);
            reload();
            focusForm();
          }}
        >
          <p>The board’s activity still shows that there was a comment.</p>
        </Confirm>
      )}
    </li>
  );
}

function CommentEdit({ comment, names, reload, onClose }: Omit<ItemProps, 'rights'> & { onClose(): void }) {
  const draft = useDraft(`comment-edit:${comment.id}`, comment.body);
  const toast = useToast();
  const put = async (body: string) => {
    await changeComment(comment.task_id, comment.id, body);
    reload();
  };
  const action = useAction(async () => {
    await put(draft.value);
    draft.clear();
    const perform = () =>
      void put(comment.body).catch((error) =>
        toast({ text: `Not undone: ${describe(error)}`, tone: 'error' }),
      );
    toast({ text: 'Comment saved', action: { label: 'Undo', perform } });
    onClose();
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.value.trim()) void action.run();
      }}
    >
      <MarkdownField
        label="Edit the comment"
        rows={3}
        value={draft.value}
        onChange={draft.set}
        names={names}
      />
      {action.fault && <ErrorNote fault={action.fault} />}
      <div className="form-bar">
        <Button type="submit" busy={action.busy} disabled={!draft.value.trim() || !draft.dirty}>
          Save comment
        </Button>
        <Button
          tone="quiet"
          onClick={() => {
            draft.clear();
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}
