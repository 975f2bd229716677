import { type AnchorHTMLAttributes, useMemo, useSyncExternalStore } from 'react';

/** Addresses are the browser's own; this only tells the page when they change. */
const watchers = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  window.addEventListener('popstate', tell);
  return () => {
    watchers.delete(tell);
    window.removeEventListener('popstate', tell);
  };
}

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  for (const tell of watchers) tell();
}

export interface Place {
  path: string;
  /** The path in its parts, decoded. */
  parts: string[];
  query: URLSearchParams;
}

export function usePlace(): Place {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  return useMemo(() => {
    const { pathname, searchParams } = new URL(address, location.origin);
    const parts = pathname.split('/').filter(Boolean).map(decode);
    return { path: pathname, parts, query: searchParams };
  }, [address]);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The present address with some of its query changed; null takes one away. */
export function withParameters(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text ? `${location.pathname}?${text}` : location.pathname;
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  to: string;
}

export function Link({ to, onClick, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        const elsewhere =
          event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
        if (event.defaultPrevented || elsewhere) return;
        event.preventDefault();
        navigate(to);
      }}
    />
  );
}
