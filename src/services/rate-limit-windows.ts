/** Where the marks of a sliding window are kept. `now` is explicit: windows end when the kernel's clock says so. */
export interface Windows {
  /** Adds a mark when fewer than `points` are in the window; otherwise answers how many milliseconds to wait. */
  add(key: string, request: WindowRequest): Promise<number>;
  removeNewest(key: string): Promise<void>;
}

export interface WindowRequest {
  now: number;
  durationMs: number;
  points: number;
  /** Tells this mark from others of the same moment. */
  mark: string;
}
