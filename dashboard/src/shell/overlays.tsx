import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useCommands } from './commands.js';
import { closePalette, openPalette, usePaletteOpen } from './palette-state.js';

const loadPalette = () => import('../palette/palette.js');
const Palette = lazy(loadPalette);
const Shortcuts = lazy(() => import('../palette/shortcuts.js'));

/** Once the page has what it needs: what is typed right after Ctrl K has to arrive. */
const PALETTE_AFTER_MS = 1500;

/** The palette and the list of keys, wherever there are commands. */
export function Overlays({ reach }: { reach: 'workspace' | 'deeds' }) {
  const [showKeys, setShowKeys] = useState(false);
  const searching = usePaletteOpen();
  useEffect(() => {
    // One that cannot be had now is asked for again when it is opened.
    const timer = setTimeout(() => loadPalette().catch(() => {}), PALETTE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      closePalette();
    };
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
    <Suspense>
      {searching && <Palette reach={reach} />}
      {showKeys && <Shortcuts onClose={() => setShowKeys(false)} />}
    </Suspense>
  );
}
