import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { addComment, listComments } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Avatar, Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { TextArea } from '../ui/field.js';

export function CardComments({ cardId }: { cardId: string }) {
  const comments = useResource(`comments:${cardId}`, (signal) => listComments(cardId, signal));
  const [text, setText] = useState('');
  const action = useAction(async () => {
    await addComment(cardId, text);
    setText('');
    comments.reload();
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }
  return (
    <section className="comments" aria-label="Comments">
      <h3>Comments</h3>
      <Loaded of={comments} rows={2}>
        {(data) => (
          <ol className="comment-list">
            {data.comments.map((comment) => (
              <li key={comment.id} className="comment">
                <Avatar name={comment.author?.name ?? '?'} size={26} />
                <div>
                  <div className="small">
                    <strong>{comment.author?.name ?? 'Somebody'}</strong>{' '}
                    <span className="muted">
                      <Time at={comment.created_at} />
                    </span>
                  </div>
                  <div className="prose">{comment.body}</div>
                </div>
              </li>
            ))}
            {data.comments.length === 0 && <li className="muted small">No comments yet.</li>}
          </ol>
        )}
      </Loaded>
      <form className="stack" onSubmit={submit}>
        <TextArea
          label="Add a comment"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {action.fault && <ErrorNote fault={action.fault} />}
        {text.trim() && (
          <div className="form-bar">
            <Button type="submit" busy={action.busy}>
              Comment
            </Button>
          </div>
        )}
      </form>
    </section>
  );
}
