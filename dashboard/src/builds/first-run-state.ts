/** How far this browser has led somebody through the first steps of a workspace. */
export type FirstRunState = 'begun' | 'dismissed' | 'reviewed';

const keyOf = (brandId: number): string => `guildhall:first-run:${brandId}`;

export function readFirstRun(brandId: number): FirstRunState | null {
  try {
    return localStorage.getItem(keyOf(brandId)) as FirstRunState | null;
  } catch {
    return null;
  }
}

/** A browser may refuse to keep anything; then it is gone until the page is opened anew. */
export function writeFirstRun(brandId: number, state: FirstRunState): void {
  try {
    localStorage.setItem(keyOf(brandId), state);
  } catch {
    return;
  }
}
