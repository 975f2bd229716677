/** Where the service is. */
export interface Place {
  url: string;
}

/** One file of the repository: what it says with us, and without. Null is a file that is not there. */
export interface Edit {
  path: string;
  /** Other programs need it as well. */
  shared?: true;
  add(text: string | null, place: Place): string | null;
  remove(text: string | null): string | null;
}
