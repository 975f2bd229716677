import type { ReactNode } from 'react';
import type { GuildhallError } from '../api/client.js';
import type { Resource } from '../api/resource.js';
import { Button } from './button.js';
import { AlertIcon } from './icons.js';

export function ErrorNote({ fault, onRetry }: { fault: GuildhallError; onRetry?(): void }) {
  return (
    <div className="note note-error" role="alert">
      <AlertIcon />
      <div className="note-text">{fault.message}</div>
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Note({ tone = 'info', children }: { tone?: 'info' | 'warn' | 'good'; children: ReactNode }) {
  return (
    <div className={`note note-${tone}`}>
      <div className="note-text">{children}</div>
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  icon?: ReactNode;
  action?: ReactNode;
}

export function Empty({ title, children, icon, action }: EmptyProps) {
  return (
    <div className="empty">
      {icon && <div className="empty-icon">{icon}</div>}
      <div className="empty-title">{title}</div>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div className="skeleton-row" key={row} />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  of: Resource<T>;
  rows?: number;
  children(data: T): ReactNode;
}

/** Shows loading, error or content. The previous content stays when a later read fails. */
export function Loaded<T>({ of, rows, children }: LoadedProps<T>) {
  if (of.data === undefined) {
    if (!of.fault) return <Skeleton rows={rows} />;
    return of.fault.status === 404 ? (
      <Gone fault={of.fault} />
    ) : (
      <ErrorNote fault={of.fault} onRetry={of.reload} />
    );
  }
  return (
    <>
      {of.fault && <OldNote fault={of.fault} onRetry={of.reload} />}
      {children(of.data)}
    </>
  );
}

/** No retry button, because a retry would not help. */
const Gone = ({ fault }: { fault: GuildhallError }) => (
  <div role="alert">
    <Empty title={fault.message}>
      It was deleted, belongs to another workspace, or the address is wrong.
    </Empty>
  </div>
);

/** An overlay, so that the page does not shift. */
function OldNote({ fault, onRetry }: { fault: GuildhallError; onRetry(): void }) {
  return (
    <div className="old-note" role="alert">
      <AlertIcon size={16} />
      {fault.status === 404 ? (
        <span>{fault.message}: this is the last known state.</span>
      ) : (
        <>
          <span>This may be out of date: {fault.message}</span>
          <Button small onClick={onRetry}>
            Try again
          </Button>
        </>
      )}
    </div>
  );
}

interface MoreProps {
  shown: number;
  total: number | undefined;
  noun: string;
  readMore: (() => void) | undefined;
  busy: boolean;
}

export function More({ shown, total, noun, readMore, busy }: MoreProps) {
  if (!readMore && (total === undefined || total <= shown)) return null;
  return (
    <div className="more">
      <span className="muted small">
        {total === undefined ? `${shown} ${noun} shown` : `${shown} of ${total} ${noun}`}
      </span>
      {readMore && (
        <Button small busy={busy} onClick={readMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
