import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { type Action, useAction } from '../api/action.js';
import { Button, IconButton } from './button.js';
import { CloseIcon } from './icons.js';
import { Form, FormFault } from './refusal.js';

/**
 * What must not be lost by Escape or a click beside the dialog. `typed`: once somebody typed, closing asks first.
 * `locked`: it shows something that is shown once, or must be answered; only its own buttons close it,
 * and the browser's way back waits for them.
 */
type Guard = 'none' | 'typed' | 'locked';

interface DialogProps {
  title: ReactNode;
  /** A drawer stands at the side and keeps the page in sight. */
  shape?: 'box' | 'wide' | 'drawer' | 'picture';
  guard?: Guard;
  /** For a guard of typed text that is known better outside, as with edits that were undone. */
  dirty?: boolean;
  /** Commands of the page work here by their keys too, as in a drawer that is walked through. */
  commands?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Ways the browser leaves a page; those of the page itself are its own wish. */
const BY_BROWSER: readonly string[] = ['BACK', 'FORWARD', 'GO'];

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({
  title,
  shape = 'box',
  guard = 'typed',
  dirty,
  commands,
  onClose,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [asking, setAsking] = useState(false);
  const touched = useTouched(element);
  const headingId = useId();

  const tryToClose = useCallback(() => {
    if (guard === 'locked') return;
    if (guard === 'typed' && (dirty ?? touched())) setAsking(true);
    else onClose();
  }, [guard, dirty, onClose, touched]);
  useModal(element, tryToClose);
  useBlocker({
    shouldBlockFn: ({ action }) => BY_BROWSER.includes(action),
    enableBeforeUnload: false,
    disabled: guard !== 'locked',
  });

  return (
    <dialog
      ref={element}
      className={`dialog dialog-${shape}`}
      aria-labelledby={headingId}
      data-commands={commands || undefined}
    >
      <div className="dialog-frame">
        <header className="dialog-head">
          <h2 id={headingId} tabIndex={-1}>
            {title}
          </h2>
          {guard !== 'locked' && (
            <IconButton label="Close" onClick={tryToClose}>
              <CloseIcon />
            </IconButton>
          )}
        </header>
        {asking && <DiscardBar onKeep={() => setAsking(false)} onDiscard={onClose} />}
        <div className="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}

function DiscardBar({ onKeep, onDiscard }: { onKeep(): void; onDiscard(): void }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => bar.current?.querySelector('button')?.focus(), []);
  return (
    <div className="discard-bar" role="alertdialog" aria-label="Discard what you typed?" ref={bar}>
      <span>Discard what you typed?</span>
      <Button small onClick={onKeep}>
        Keep editing
      </Button>
      <Button small tone="danger" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}

/** Whether somebody typed or chose anything in the dialog that the service has not taken yet. */
function useTouched(element: React.RefObject<HTMLDialogElement | null>): () => boolean {
  const state = useRef<'untouched' | 'touched' | 'sent'>('untouched');
  useEffect(() => {
    const dialog = element.current;
    const onInput = (event: Event) => {
      if ((event.target as HTMLElement).closest('[data-unguarded]')) return;
      state.current = 'touched';
      if (dialog) dialog.dataset['typed'] = '';
    };
    const onSubmit = () => {
      if (state.current === 'touched') state.current = 'sent';
      delete dialog?.dataset['typed'];
    };
    dialog?.addEventListener('input', onInput);
    dialog?.addEventListener('submit', onSubmit);
    return () => {
      dialog?.removeEventListener('input', onInput);
      dialog?.removeEventListener('submit', onSubmit);
    };
  }, [element]);
  return useCallback(() => {
    const refused = element.current?.querySelector('form[data-unsent]');
    return state.current === 'touched' || (state.current === 'sent' && Boolean(refused));
  }, [element]);
}

function useModal(element: React.RefObject<HTMLDialogElement | null>, tryToClose: () => void): void {
  const close = useRef(tryToClose);
  close.current = tryToClose;
  // Before the element leaves the page: only then does closing give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    dialog.showModal();
    focusFirst(dialog);
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      close.current();
    };
    // Escape outside of any field of the dialog.
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    // A browser closes a dialog that refused Escape before.
    const onClosed = () => dialog.isConnected && dialog.showModal();
    const onPress = (event: MouseEvent) => {
      if (event.target === dialog) close.current();
    };
    dialog.addEventListener('keydown', onKey);
    dialog.addEventListener('cancel', onCancel);
    dialog.addEventListener('close', onClosed);
    dialog.addEventListener('mousedown', onPress);
    return () => {
      dialog.removeEventListener('keydown', onKey);
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('close', onClosed);
      dialog.removeEventListener('mousedown', onPress);
      dialog.close();
    };
  }, [element]);
}

/** What is to be filled in; where a dialog is only read, its heading, so that a screen reader begins there. */
function focusFirst(dialog: HTMLDialogElement): void {
  const field = dialog.querySelector<HTMLElement>('[autofocus], form input, form select, form textarea');
  const reading = dialog.classList.contains('dialog-drawer') || !field;
  (reading ? dialog.querySelector('h2') : field)?.focus();
}

interface FormDialogProps extends Omit<DialogProps, 'children'> {
  submit: string;
  tone?: 'primary' | 'danger';
  action: Action<never[], unknown>;
  onSubmit(): void;
  children: ReactNode;
  disabled?: boolean;
  /** Other ways on, beside the usual one. */
  beside?: ReactNode;
}

/** A dialog that asks for something and sends it; a refusal is shown where it was asked. */
export function FormDialog({
  submit,
  tone = 'primary',
  action,
  onSubmit,
  children,
  disabled,
  beside,
  ...dialog
}: FormDialogProps) {
  return (
    <Dialog {...dialog}>
      <Form className="stack" fault={action.fault} busy={action.busy} onSubmit={onSubmit}>
        {children}
        <FormFault />
        <div className="dialog-actions">
          <Button tone="quiet" onClick={dialog.onClose}>
            Cancel
          </Button>
          {beside}
          <Button type="submit" tone={tone} busy={action.busy} disabled={disabled}>
            {submit}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  children: ReactNode;
  submit: string;
  tone?: 'primary' | 'danger';
  perform(): Promise<unknown>;
  onClose(): void;
}

export function Confirm({ perform, onClose, tone = 'danger', ...rest }: ConfirmProps) {
  const action = useAction(async () => {
    await perform();
    onClose();
  });
  return (
    <FormDialog {...rest} tone={tone} action={action} onSubmit={() => void action.run()} onClose={onClose} />
  );
}
