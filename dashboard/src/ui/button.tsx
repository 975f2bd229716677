import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.js';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  busy?: boolean;
  icon?: ReactNode;
  small?: boolean;
}

export function Button({
  tone = 'plain',
  busy = false,
  icon,
  small,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  const classes = ['button', `button-${tone}`, small && 'button-small', className].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      // Keeps the focus: a button that becomes `disabled` would lose it.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {icon}
      <span className="button-text">{children}</span>
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> {
  label: string;
}

export function IconButton({ label, children, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={['icon-button', className].filter(Boolean).join(' ')}
      aria-label={label}
      title={label}
    >
      {children}
    </button>
  );
}

const COPIED_MS = 1600;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState<'Copied' | 'Not copied'>();
  async function copy() {
    setOutcome((await copyText(text)) ? 'Copied' : 'Not copied');
    setTimeout(() => setOutcome(undefined), COPIED_MS);
  }
  return (
    <Button
      small
      icon={outcome === 'Copied' ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{outcome ?? label}</span>
    </Button>
  );
}

/** The clipboard API is unavailable without HTTPS, so fall back to `execCommand`. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Permission denied: use the fallback below.
    }
  }
  const before = document.activeElement as HTMLElement | null;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'off-screen';
  // While a modal dialog is open, only text inside it can be selected.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  before?.focus();
  return copied;
}
