import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Link } from '../shell/router.js';
import { Button, IconButton } from './button.js';
import { CloseIcon } from './icons.js';

export interface Toast {
  text: string;
  tone?: 'plain' | 'error';
  action?: ToastAction;
  /** A follow-up action, shown before Undo. */
  offer?: ToastAction;
  link?: { to: string; label: string };
}

interface ToastAction {
  label: string;
  perform(): void;
}

const ToastContext = createContext<(toast: Toast) => void>(() => {});
export const useToast = () => useContext(ToastContext);

const SHOWN_MS = 7000;
const MOST_AT_ONCE = 3;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([]);
  const counter = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback((toast: Toast) => {
    const id = ++counter.current;
    setToasts((all) => [...all, { ...toast, id }].slice(-MOST_AT_ONCE));
  }, []);
  const [held, setHeld] = useState(false);
  const host = useTopmost(toasts.length > 0);

  return (
    <ToastContext.Provider value={show}>
      {children}
      {createPortal(
        <div
          className="toasts"
          role="status"
          aria-live="polite"
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          {toasts.map((toast) => (
            <Item key={toast.id} toast={toast} held={held} onDismiss={dismiss} />
          ))}
        </div>,
        host,
      )}
    </ToastContext.Provider>
  );
}

interface ItemProps {
  toast: Toast & { id: number };
  /** Keeps hovered or focused toasts, so that Undo does not disappear under the pointer. */
  held: boolean;
  onDismiss(id: number): void;
}

function Item({ toast, held, onDismiss }: ItemProps) {
  const { id, text, tone = 'plain', action, offer, link } = toast;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => onDismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, held, onDismiss]);
  return (
    <div className={`toast toast-${tone}`}>
      <span>{text}</span>
      {link && (
        <Link className="toast-link" to={link.to} onClick={() => onDismiss(id)}>
          {link.label}
        </Link>
      )}
      {[offer, action].map(
        (each) =>
          each && (
            <Button
              key={each.label}
              small
              tone="quiet"
              onClick={() => {
                each.perform();
                onDismiss(id);
              }}
            >
              {each.label}
            </Button>
          ),
      )}
      <IconButton label="Dismiss" onClick={() => onDismiss(id)}>
        <CloseIcon size={15} />
      </IconButton>
    </div>
  );
}

/** A modal dialog covers and blocks everything outside it, so toasts render inside the topmost dialog. */
function useTopmost(needed: boolean): Element {
  const [host, setHost] = useState<Element>(document.body);
  useEffect(() => {
    if (!needed) return;
    const settle = () => setHost([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body);
    settle();
    const observer = new MutationObserver(settle);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['open'] });
    return () => observer.disconnect();
  }, [needed]);
  return host;
}
