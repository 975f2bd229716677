import { type ReactNode, useEffect, useRef, useState } from 'react';
import { SignInAgain } from '../entrance/sign-in-again.js';
import { useUnread } from '../inbox/use-unread.js';
import { IconButton } from '../ui/button.js';
import { MenuIcon, SearchIcon } from '../ui/icons.js';
import { useAreas } from './areas.js';
import { CommandProvider } from './commands.js';
import { Overlays } from './overlays.js';
import { openPalette } from './palette-state.js';
import { usePlace } from './router.js';
import { useSession, useSessionState } from './session.js';
import { Sidebar } from './sidebar.js';

export function Shell({ children }: { children: ReactNode }) {
  return (
    <CommandProvider>
      <Frame>{children}</Frame>
    </CommandProvider>
  );
}

function Frame({ children }: { children: ReactNode }) {
  const { parts, path } = usePlace();
  const groups = useAreas();
  const { brand } = useSession();
  const { state } = useSessionState();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const unread = useUnread();

  usePageChange(path, main, () => setOpen(false));
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="topbar">
        <IconButton label="Menu" aria-expanded={open} aria-controls="sidebar" onClick={() => setOpen(!open)}>
          <MenuIcon size={20} />
        </IconButton>
        <span className="topbar-title">{brand.name}</span>
        <IconButton label="Search" onClick={openPalette}>
          <SearchIcon size={20} />
        </IconButton>
      </header>
      {open && (
        <button type="button" className="veil" aria-label="Close menu" onClick={() => setOpen(false)} />
      )}
      <Sidebar groups={groups} current={parts[1] ?? ''} open={open} counts={{ inbox: unread }} />
      <main id="main" className="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Overlays reach="workspace" />
      {state.kind === 'signed-in' && state.ended && <SignInAgain />}
    </div>
  );
}

/** Scrolls to the top, closes the menu and focuses the heading when the path changes. */
function usePageChange(path: string, main: React.RefObject<HTMLElement | null>, onChange: () => void): void {
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: told by the address alone
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    onChange();
    main.current?.scrollTo(0, 0);
    // The page's code may still be loading, so retry until its heading exists.
    let tries = 20;
    const focus = () => {
      const heading = main.current?.querySelector<HTMLElement>('h1');
      if (heading) heading.focus({ preventScroll: true });
      else if (tries-- > 0) timer = setTimeout(focus, 50);
      else main.current?.focus({ preventScroll: true });
    };
    let timer = setTimeout(focus, 0);
    return () => clearTimeout(timer);
  }, [path]);
}
