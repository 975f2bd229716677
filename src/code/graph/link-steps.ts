const MOST_OF_A_FILE = 2_000_000;

/**
 * Counts the steps from name to name. Code can be written so that a few lines lead through billions of them; whoever has
 * taken too many finds nothing more, the same at every look.
 */
export class LinkSteps {
  #ofFile = MOST_OF_A_FILE;
  #isSpent = false;
  #atStart = 0;
  /** Files that lack some of their links. */
  spentFiles = 0;

  constructor(private ofAll = Number.MAX_SAFE_INTEGER) {}

  beginFile(): void {
    this.#atStart = this.ofAll;
    this.#ofFile = Math.min(MOST_OF_A_FILE, this.ofAll);
    this.#isSpent = false;
  }

  /** How many the file took that was begun last. */
  get ofThisFile(): number {
    return this.#atStart - this.ofAll;
  }

  /** False when there are none left. */
  take(count = 1): boolean {
    this.#ofFile -= count;
    this.ofAll -= count;
    if (this.#ofFile >= 0) return true;
    if (!this.#isSpent) this.spentFiles++;
    this.#isSpent = true;
    return false;
  }
}
