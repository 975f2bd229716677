import { useEffect, useRef } from 'react';
import { useAction } from '../../api/action.js';
import { Button } from '../../ui/button.js';
import { ErrorNote } from '../../ui/feedback.js';
import type { Comments } from './comments.js';
import { placeWords, type Writing } from './remarks.js';

/** Comment actions; the object stays the same while the page is open. */
export type CommentHands = Pick<Comments, 'change' | 'drop' | 'keep' | 'buildId'>;

export const LONGEST_COMMENT = 20_000;

interface BoxProps {
  writing: Writing;
  hands: CommentHands;
  /** Returns the focus to the commented line or file. */
  onDone(): void;
}

export function CommentBox({ writing, hands, onDone }: BoxProps) {
  const place = placeWords(writing);
  const empty = writing.body.trim() === '';
  const action = useAction(async (draft: boolean) => {
    if (empty) hands.drop(writing);
    else await hands.keep(writing, draft);
    onDone();
  });
  const discard = () => {
    hands.drop(writing);
    onDone();
  };
  return (
    <WordsForm
      label={writing.path === null ? `Comment on ${place}` : `Comment on ${place} of ${writing.path}`}
      placeholder="What should be different, and why?"
      value={writing.body}
      onChange={(body) => hands.change(writing, body)}
      onKeep={() => void action.run(true)}
      onLeave={() => void action.run(true)}
    >
      <Button type="submit" small tone="primary" busy={action.busy} disabled={empty}>
        Add to review
      </Button>
      <Button small disabled={empty || action.busy} onClick={() => void action.run(false)}>
        Send now
      </Button>
      <Button small tone="quiet" onClick={discard}>
        Discard
      </Button>
      <span className="muted small">Added comments are sent with your review.</span>
      {action.fault && <ErrorNote fault={action.fault} />}
    </WordsForm>
  );
}

interface FormProps {
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
  onKeep(): void;
  onLeave(): void;
  children: React.ReactNode;
}

/** A text form: Ctrl+Enter saves, Escape cancels. */
export function WordsForm({ label, placeholder, value, onChange, onKeep, onLeave, children }: FormProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="remark"
      onSubmit={(event) => {
        event.preventDefault();
        onKeep();
      }}
    >
      <textarea
        ref={field}
        className="input"
        rows={3}
        aria-label={label}
        placeholder={placeholder}
        maxLength={LONGEST_COMMENT}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          const keeps = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          if (!keeps && event.key !== 'Escape') return;
          event.preventDefault();
          if (keeps) onKeep();
          else onLeave();
        }}
      />
      <div className="form-bar">{children}</div>
    </form>
  );
}
