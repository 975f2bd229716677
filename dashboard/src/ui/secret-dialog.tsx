import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { CodeLine } from './display.js';
import { Note } from './feedback.js';

interface SecretProps {
  title: string;
  secrets: Record<string, string>;
  warning?: string;
  children?: ReactNode;
  onClose(): void;
}

/** Shows a secret once. Only its button closes it; Escape, outside clicks and browser navigation do not. */
export function SecretDialog({
  title,
  secrets,
  warning = 'It is shown only once. Keep it like a password.',
  children,
  onClose,
}: SecretProps) {
  return (
    <Dialog title={title} shape="wide" guard="locked" onClose={onClose}>
      <div className="stack">
        {children && <p>{children}</p>}
        <Note tone="warn">{warning}</Note>
        {Object.entries(secrets).map(([label, code]) => (
          <CodeLine key={label} label={label} code={code} />
        ))}
        <div className="dialog-actions">
          <Button tone="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
