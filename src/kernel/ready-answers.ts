/** An answer in the form in which it leaves. */
export interface ReadyAnswer {
  /** A text leaves in one piece with its head, where bytes would be a second one. */
  body: string;
  /** The same in fewer bytes, as far as it was asked for so. */
  packed?: Partial<Record<'br' | 'gzip', Buffer>>;
  contentType: string;
  /** Names the body, quotes included. */
  etag: string;
  /** From then on it would be another one, though nothing has changed; undefined where only a change makes it another. */
  until?: Date | undefined;
}

/** What everybody in a workspace is answered alike, ready until something that it is made of changes. */
export interface ReadyAnswers {
  /** The one that is ready, or the one that is made now. */
  find(
    brandId: number,
    question: string,
    make: () => ReadyAnswer | Promise<ReadyAnswer>,
  ): ReadyAnswer | Promise<ReadyAnswer>;
  /** The one that is ready; undefined where it would have to be made. */
  ready(brandId: number, question: string): ReadyAnswer | undefined;
  /** Whatever is ready for the workspace, or for all of them, is made anew when it is next asked for. */
  forget(brandId?: number): void;
}

/** Nothing is ready: every answer is made when it is asked for. */
export const noReadyAnswers: ReadyAnswers = {
  find: (_brandId, _question, make) => make(),
  ready: () => undefined,
  forget: () => {},
};
