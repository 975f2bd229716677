import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button, IconButton } from './button.js';
import { CloseIcon } from './icons.js';

export interface Toast {
  text: string;
  tone?: 'plain' | 'error';
  action?: { label: string; perform(): void };
}

const ToastContext = createContext<(toast: Toast) => void>(() => {});
export const useToast = () => useContext(ToastContext);

const SHOWN_MS = 7000;
const MOST_AT_ONCE = 3;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([]);
  const counter = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback(
    (toast: Toast) => {
      const id = ++counter.current;
      setToasts((all) => [...all, { ...toast, id }].slice(-MOST_AT_ONCE));
      setTimeout(() => dismiss(id), SHOWN_MS);
    },
    [dismiss],
  );
  const host = useTopmost(toasts.length > 0);

  return (
    <ToastContext.Provider value={show}>
      {children}
      {createPortal(
        <div className="toasts" role="status" aria-live="polite">
          {toasts.map((toast) => (
            <div key={toast.id} className={`toast toast-${toast.tone ?? 'plain'}`}>
              <span>{toast.text}</span>
              {toast.action && (
                <Button
                  small
                  tone="quiet"
                  onClick={() => {
                    toast.action?.perform();
                    dismiss(toast.id);
                  }}
                >
                  {toast.action.label}
                </Button>
              )}
              <IconButton label="Dismiss" onClick={() => dismiss(toast.id)}>
                <CloseIcon size={15} />
              </IconButton>
            </div>
          ))}
        </div>,
        host,
      )}
    </ToastContext.Provider>
  );
}

/** A modal dialog covers everything else and takes no clicks outside, so the notes stand in the topmost one. */
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
