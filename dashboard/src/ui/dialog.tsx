import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { type Action, useAction } from '../api/action.js';
import { Button, IconButton } from './button.js';
import { CloseIcon } from './icons.js';
import { Form, FormFault } from './refusal.js';

/**
 * Protects input from Escape and clicks outside the dialog. `typed`: asks before closing once the user has
 * typed.
 * `locked`: only the dialog's own buttons close it, and browser navigation is blocked, for secrets shown
 * once.
 */
type Guard = 'none' | 'typed' | 'locked';

interface DialogProps {
  title: ReactNode;
  shape?: 'box' | 'wide' | 'drawer' | 'picture';
  guard?: Guard;
  /** Overrides the `typed` guard's own detection, for example after edits were reverted. */
  dirty?: boolean;
  /** Keeps the page's keyboard shortcuts active, for example to step through cards in a drawer. */
  commands?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Navigation types started by the browser rather than by the page. */
const BY_BROWSER: readonly string[] = ['BACK', 'FORWARD', 'GO'];

/** A native modal dialog, which traps the focus, closes on Escape and restores the focus. */
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
  // A layout effect closes the dialog before it is removed; otherwise the focus is not restored.
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
    // Escape while no field of the dialog has the focus.
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    // Browsers close a dialog whose cancel event was prevented twice, so open it again.
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

/** Focuses the first field; in a dialog for reading its heading, so that screen readers start there. */
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
  beside?: ReactNode;
}

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
