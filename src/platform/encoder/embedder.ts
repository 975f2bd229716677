/** Turns texts into vectors of length one. Vectors of different `modelId` must never be compared. */
export interface Embedder {
  modelId: string;
  /** Known after the first answer when the endpoint decides it. */
  readonly dimensions: number | undefined;
  /** Whether it has to be started first, which takes longer than any answer. */
  readonly asleep: boolean;
  /** How many texts are in line. */
  readonly waiting: number;
  /**
   * One vector per text, in order. Throws `EmbeddingUnavailable`. What is wanted `later` lets everything pass that somebody
   * waits for.
   */
  embed(texts: string[], signal?: AbortSignal, when?: 'now' | 'later'): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export class EmbeddingUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Embedding is unavailable: ${reason}`, options);
    this.name = 'EmbeddingUnavailable';
  }
}

export const BATCH_SIZE = 32;

export const NO_MODEL = 'none';

/** For those who want none: everything that can do without goes on without. */
export const noEmbedder = (): Embedder => ({
  modelId: NO_MODEL,
  dimensions: undefined,
  asleep: false,
  waiting: 0,
  embed: () => Promise.reject(new EmbeddingUnavailable('it is switched off')),
  close: () => Promise.resolve(),
});
