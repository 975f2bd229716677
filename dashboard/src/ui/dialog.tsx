import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { type Action, useAction } from '../api/action.js';
import { Button, IconButton } from './button.js';
import { ErrorNote } from './feedback.js';
import { CloseIcon } from './icons.js';

interface DialogProps {
  title: ReactNode;
  /** A drawer stands at the side and keeps the page in sight. */
  shape?: 'box' | 'wide' | 'drawer';
  onClose(): void;
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, shape = 'box', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const headingId = useId();

  // Before the element leaves the page: only then does closing give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    dialog.showModal();
    focusFirst(dialog);
    const onCancel = (event: Event) => {
      event.preventDefault();
      close.current();
    };
    const onPress = (event: MouseEvent) => {
      if (event.target === dialog) close.current();
    };
    dialog.addEventListener('cancel', onCancel);
    dialog.addEventListener('mousedown', onPress);
    return () => {
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('mousedown', onPress);
      dialog.close();
    };
  }, []);

  return (
    <dialog ref={element} className={`dialog dialog-${shape}`} aria-labelledby={headingId}>
      <div className="dialog-frame">
        <header className="dialog-head">
          <h2 id={headingId} tabIndex={-1}>
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose}>
            <CloseIcon />
          </IconButton>
        </header>
        <div className="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}

/** What is to be filled in; where a dialog is only read, its heading, so that a screen reader begins there. */
function focusFirst(dialog: HTMLDialogElement): void {
  const field = dialog.querySelector<HTMLElement>('form input, form select, form textarea');
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
}

/** A dialog that asks for something and sends it; a refusal is shown where it was asked. */
export function FormDialog({
  submit,
  tone = 'primary',
  action,
  onSubmit,
  children,
  disabled,
  ...dialog
}: FormDialogProps) {
  return (
    <Dialog {...dialog}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {action.fault && <ErrorNote fault={action.fault} />}
        <div className="dialog-actions">
          <Button tone="quiet" onClick={dialog.onClose}>
            Cancel
          </Button>
          <Button type="submit" tone={tone} busy={action.busy} disabled={disabled}>
            {submit}
          </Button>
        </div>
      </form>
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
