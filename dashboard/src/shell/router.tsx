import { createBrowserHistory, useLocation } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, type MouseEvent, useMemo } from 'react';

export const history = createBrowserHistory();

export function navigate(to: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replace(to);
  else history.push(to);
}

/** Goes back if the previous entry belongs to this app, otherwise opens the given page. */
export function goBackTo(page: string): void {
  if (history.canGoBack()) history.back();
  else navigate(page, { replace: true });
}

export interface Place {
  path: string;
  parts: string[];
  query: URLSearchParams;
}

export function usePlace(): Place {
  const { pathname, searchStr } = useLocation();
  return useMemo(
    () => ({
      path: pathname,
      parts: pathname.split('/').filter(Boolean).map(decode),
      query: new URLSearchParams(searchStr),
    }),
    [pathname, searchStr],
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

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
        if (event.defaultPrevented || opensElsewhere(event)) return;
        event.preventDefault();
        navigate(to);
      }}
    />
  );
}

const opensElsewhere = (event: MouseEvent): boolean =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
