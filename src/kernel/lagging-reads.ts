import type { Caller } from './access.js';

/** Reads that may be a moment old, and who must not be shown such. */
export interface LaggingReads {
  /** Runs a read of the caller, on a replica where that is right. It may run twice. */
  read<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
  /** The caller wrote, or was told of something new: for a while they see nothing old. Awaited before they are answered. */
  noteNews(caller: Caller): Promise<void>;
}

/** Where there are no replicas. */
export const noLaggingReads: LaggingReads = {
  read: (_caller, work) => work(),
  noteNews: async () => {},
};
