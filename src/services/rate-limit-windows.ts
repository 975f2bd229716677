/** Where the marks of a sliding window are kept. `now` is explicit: windows end when the kernel's clock says so. */
export interface Windows {
  /** Adds a mark when fewer than `points` are in the window; otherwise answers how many milliseconds to wait. */
  add(key: string, request: WindowRequest): Promise<number>;
  /** How many milliseconds `add` would ask to wait; adds nothing. */
  wait(key: string, window: Window): Promise<number>;
  removeNewest(key: string): Promise<void>;
}

export interface Window {
  now: number;
  durationMs: number;
  points: number;
}

export interface WindowRequest extends Window {
  /** Tells this mark from others of the same moment. */
  mark: string;
}
