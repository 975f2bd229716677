/** Where the marks of a sliding window are kept. `now` is explicit: windows end when the kernel's clock says so. */
export interface Windows {
  /**
   * Adds a mark when fewer than `points` are in the window and answers 0; otherwise how many milliseconds to wait. A mark that is
   * in the window already is only moved to now: -1.
   */
  add(key: string, request: WindowRequest): Promise<number>;
  /** How many milliseconds `add` would ask to wait; adds nothing. */
  wait(key: string, window: Window): Promise<number>;
  removeNewest(key: string): Promise<void>;
  remove(key: string, mark: string): Promise<void>;
}

export interface Window {
  now: number;
  durationMs: number;
  points: number;
}

export interface WindowRequest extends Window {
  /** What is counted: equal marks count once. */
  mark: string;
}
