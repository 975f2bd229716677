export type Theme = 'system' | 'light' | 'dark';

const KEY = 'guildhall:theme';
const DARK = '(prefers-color-scheme: dark)';
const CHANGED = 'guildhall:theme';
const MEDIA: Record<Theme, string> = { system: DARK, light: 'not all', dark: 'all' };

export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Without localStorage the choice lasts until the page is reloaded.
  }
  applyTheme(theme);
}

let darkRules: CSSMediaRule[] | undefined;

/** Rewrites the media condition of the dark rules, so that all three themes share one set of rules. */
export function applyTheme(theme: Theme = readTheme()): void {
  darkRules ??= [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter(
      (rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.conditionText === DARK,
    ),
  );
  for (const rule of darkRules) rule.media.mediaText = MEDIA[theme];
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
  window.dispatchEvent(new Event(CHANGED));
}

/** Calls `notify` when the theme changes, by the system or by the user. */
export function watchTheme(notify: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener('change', notify);
  window.addEventListener(CHANGED, notify);
  return () => {
    system.removeEventListener('change', notify);
    window.removeEventListener(CHANGED, notify);
  };
}
