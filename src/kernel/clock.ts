/** The one source of "now". Rules, SQL parameters and expiry all ask it, so that tests can move time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface ClockState {
  offsetMs: number;
  frozenAt: Date | null;
}

/** A clock that can be moved ahead and stopped; it behaves like the system clock until told otherwise. */
export class MovableClock implements Clock {
  #offsetMs = 0;
  #frozenAt: Date | null = null;

  now(): Date {
    return this.#frozenAt ? new Date(this.#frozenAt) : new Date(Date.now() + this.#offsetMs);
  }

  advance(seconds: number): void {
    if (this.#frozenAt) this.#frozenAt = new Date(this.#frozenAt.getTime() + seconds * 1000);
    else this.#offsetMs += seconds * 1000;
  }

  freeze(frozen: boolean): void {
    if (frozen) {
      this.#frozenAt ??= this.now();
    } else if (this.#frozenAt) {
      this.#offsetMs = this.#frozenAt.getTime() - Date.now();
      this.#frozenAt = null;
    }
  }

  get state(): ClockState {
    return { offsetMs: this.#offsetMs, frozenAt: this.#frozenAt };
  }

  restore(state: ClockState): void {
    this.#offsetMs = state.offsetMs;
    this.#frozenAt = state.frozenAt;
  }
}

export const secondsFrom = (instant: Date, seconds: number): Date =>
  new Date(instant.getTime() + seconds * 1000);

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
