export type FirstRunState = 'begun' | 'dismissed' | 'reviewed';

const keyOf = (brandId: number): string => `guildhall:first-run:${brandId}`;

export function readFirstRun(brandId: number): FirstRunState | null {
  try {
    return localStorage.getItem(keyOf(brandId)) as FirstRunState | null;
  } catch {
    return null;
  }
}

/** Without localStorage the progress is lost on reload. */
export function writeFirstRun(brandId: number, state: FirstRunState): void {
  try {
    localStorage.setItem(keyOf(brandId), state);
  } catch {
    return;
  }
}
