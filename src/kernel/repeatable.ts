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

export interface RepeatableWork {
  /** Carries the request out, with what `prepare` found out. */
  make(prepared: unknown): Promise<MadeAnswer>;
  /** What is found out before anything is held. */
  prepare?(): Promise<unknown>;
  /** Throws when the caller may no longer ask for it. */
  permit?(): Promise<void>;
}

/** Answers a request that was carried out before with what it was answered then, to who may still ask; otherwise makes the answer. */
export type AnswerOnce = (request: RepeatableRequest, work: RepeatableWork) => Promise<RepeatedAnswer>;
