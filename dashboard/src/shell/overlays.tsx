import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useCommands } from './commands.js';
import { closeComposer, openComposer, useComposer } from './composer-state.js';
import { closePalette, openPalette, usePaletteOpen } from './palette-state.js';

const loadPalette = () => import('../palette/palette.js');
const Palette = lazy(loadPalette);
const loadComposer = () => import('../boards/composer.js');
const Composer = lazy(loadComposer);
const StartBuildDialog = lazy(async () => ({
  default: (await import('../builds/start-build-dialog.js')).StartBuildDialog,
}));
const Shortcuts = lazy(() => import('../palette/shortcuts.js'));

/** Preload after the page's own requests, so that palette and composer open immediately. */
const LOAD_AFTER_MS = 1500;

export function Overlays({ reach }: { reach: 'workspace' | 'commands' }) {
  const [showKeys, setShowKeys] = useState(false);
  const searching = usePaletteOpen();
  useEffect(() => {
    // A failed preload is repeated when the overlay is opened.
    const timer = setTimeout(() => {
      loadPalette().catch(() => {});
      if (reach === 'workspace') loadComposer().catch(() => {});
    }, LOAD_AFTER_MS);
    return () => {
      clearTimeout(timer);
      closePalette();
      closeComposer();
    };
  }, [reach]);
  const composing = useComposer();
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
        ...(reach === 'workspace'
          ? [
              {
                id: 'card-new',
                label: 'New card',
                group: 'General',
                keys: 'c',
                words: 'create add make quick',
                perform: () => openComposer(),
              },
            ]
          : []),
        {
          id: 'shortcuts',
          label: 'Show keyboard shortcuts',
          group: 'General',
          keys: '?',
          perform: () => setShowKeys(true),
        },
      ],
      [reach],
    ),
  );
  return (
    <Suspense>
      {searching && <Palette reach={reach} />}
      {composing?.kind === 'card' && <Composer defaults={composing.defaults} />}
      {composing?.kind === 'build' && <StartBuildDialog taskId={composing.taskId} onClose={closeComposer} />}
      {showKeys && <Shortcuts onClose={() => setShowKeys(false)} />}
    </Suspense>
  );
}
