import { useEffect, useRef } from 'react';
import { Button } from '../../ui/button.js';
import { Markdown } from '../../ui/markdown.js';
import type { Comments } from './comments.js';
import type { DraftComment } from './remarks.js';

export type CommentHands = Pick<Comments, 'change' | 'remove'>;

interface BoxProps {
  comment: DraftComment;
  hands: CommentHands;
  /** Gives the focus back to what the remark is about. */
  onDone(): void;
}

const placeOf = ({ side, line }: DraftComment): string =>
  side === 'file' ? 'the file' : side === 'old' ? `removed line ${line}` : `line ${line}`;

export function CommentBox({ comment, hands, onDone }: BoxProps) {
  const place = placeOf(comment);
  if (!comment.editing)
    return (
      <div className="remark">
        <div className="remark-head">
          <span className="muted small">Your comment on {place}, not sent yet</span>
          <Button small tone="quiet" onClick={() => hands.change(comment, { editing: true })}>
            Edit
          </Button>
          <Button
            small
            tone="quiet"
            onClick={() => {
              hands.remove(comment);
              onDone();
            }}
          >
            Remove
          </Button>
        </div>
        <Markdown text={comment.body} />
      </div>
    );
  return <Editing comment={comment} hands={hands} onDone={onDone} place={place} />;
}

function Editing({ comment, hands, onDone, place }: BoxProps & { place: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const empty = comment.body.trim() === '';
  function keep() {
    if (empty) hands.remove(comment);
    else hands.change(comment, { editing: false });
    onDone();
  }
  return (
    <form
      className="remark"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <textarea
        ref={field}
        className="input"
        rows={3}
        aria-label={`Comment on ${place} of ${comment.path}`}
        placeholder="What should be different, and why?"
        maxLength={19_000}
        value={comment.body}
        onChange={(event) => hands.change(comment, { body: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))) {
            event.preventDefault();
            keep();
          }
        }}
      />
      <div className="form-bar">
        <Button type="submit" small tone="primary" disabled={empty}>
          Keep comment
        </Button>
        <Button
          small
          tone="quiet"
          onClick={() => {
            hands.remove(comment);
            onDone();
          }}
        >
          Discard
        </Button>
        <span className="muted small">It is sent when you ask for rework.</span>
      </div>
    </form>
  );
}
