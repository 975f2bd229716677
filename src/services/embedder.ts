/** Turns texts into vectors of length one. Vectors of different `modelId` must never be compared. */
export interface Embedder {
  modelId: string;
  /** Known after the first answer when the endpoint decides it. */
  readonly dimensions: number | undefined;
  /** One vector per text, in order. Throws `EmbeddingUnavailable`. */
  embed(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export class EmbeddingUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Embedding is unavailable: ${reason}`, options);
    this.name = 'EmbeddingUnavailable';
  }
}

export const BATCH_SIZE = 32;
