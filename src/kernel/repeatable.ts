/** A request that creates something, as far as telling a repetition of it needs. */
export interface RepeatableRequest {
  brandId: number;
  userId: number;
  key: string;
  /** Of the method, the address and the bytes of the body. */
  requestHash: string;
}

export interface MadeAnswer {
  status: number;
  contentType: string;
  bytes: Buffer;
  /** Set where the answer shows a secret: this is all that a repetition may learn. */
  onlyId?: { name: string; value: string };
}

export interface RepeatedAnswer extends MadeAnswer {
  replayed: boolean;
}

/**
 * Answers a request that was carried out before with what it was answered then; otherwise makes the answer, from what
 * `prepare` found out before anything was held.
 */
export type AnswerOnce = (
  request: RepeatableRequest,
  make: (prepared: unknown) => Promise<MadeAnswer>,
  prepare?: () => Promise<unknown>,
) => Promise<RepeatedAnswer>;
