/** Light or dark as the system has it, or as somebody chose in this browser. */
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
    // A browser that keeps nothing shows it until the page is opened anew.
  }
  applyTheme(theme);
}

let darkRules: CSSMediaRule[] | undefined;

/** The rules for the dark hold always, never, or when the system says so: they are written once, for all three. */
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

/** Tells whenever it becomes light or dark, whoever wanted it. */
export function watchTheme(tell: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener('change', tell);
  window.addEventListener(CHANGED, tell);
  return () => {
    system.removeEventListener('change', tell);
    window.removeEventListener(CHANGED, tell);
  };
}
