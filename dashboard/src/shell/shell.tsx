import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { SignInAgain } from '../entrance/sign-in-again.js';
import { useUnread } from '../inbox/use-unread.js';
import { IconButton } from '../ui/button.js';
import { MenuIcon, SearchIcon } from '../ui/icons.js';
import { useAreas } from './areas.js';
import { CommandProvider, useCommands } from './commands.js';
import { openPalette, usePaletteOpen } from './palette-state.js';
import { usePlace } from './router.js';
import { useSession, useSessionState } from './session.js';
import { Sidebar } from './sidebar.js';

const loadPalette = () => import('../palette/palette.js');
const Palette = lazy(loadPalette);
const Shortcuts = lazy(() => import('../palette/shortcuts.js'));

/** Once the page has what it needs: what is typed right after Ctrl K has to arrive. */
const PALETTE_AFTER_MS = 1500;

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
  const [showKeys, setShowKeys] = useState(false);
  const main = useRef<HTMLElement>(null);
  const searching = usePaletteOpen();
  const unread = useUnread();

  usePageChange(path, main, () => setOpen(false));
  useEffect(() => {
    // One that cannot be had now is asked for again when it is opened.
    const timer = setTimeout(() => loadPalette().catch(() => {}), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useCommands(
    useMemo(
      () => [
        {
          id: 'palette',
          label: 'Search or do anything',
          group: 'General',
          keys: 'mod+k',
          perform: openPalette,
        },
        { id: 'search', label: 'Search', group: 'General', keys: '/', perform: openPalette },
        {
          id: 'shortcuts',
          label: 'Show keyboard shortcuts',
          group: 'General',
          keys: '?',
          perform: () => setShowKeys(true),
        },
      ],
      [],
    ),
  );

  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="topbar">
        <IconButton label="Menu" aria-expanded={open} aria-controls="sidebar" onClick={() => setOpen(!open)}>
          <MenuIcon size={20} />
        </IconButton>
        <span className="topbar-title">{brand.name}</span>
        <IconButton label="Search" onClick={openPalette}>
          <SearchIcon size={20} />
        </IconButton>
      </div>
      {open && (
        <button type="button" className="veil" aria-label="Close menu" onClick={() => setOpen(false)} />
      )}
      <Sidebar groups={groups} current={parts[1] ?? ''} open={open} counts={{ inbox: unread }} />
      <main id="main" className="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <Suspense>
        {searching && <Palette />}
        {showKeys && <Shortcuts onClose={() => setShowKeys(false)} />}
      </Suspense>
      {state.kind === 'signed-in' && state.ended && <SignInAgain />}
    </div>
  );
}

/** Another page begins at its top, with the menu closed and the focus on its heading. */
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
    // Pages are read when they are first opened: their heading may still be on its way.
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
