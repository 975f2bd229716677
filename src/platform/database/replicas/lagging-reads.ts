import type { Caller } from '../../../kernel/access.js';
import type { LaggingReads } from '../../../kernel/lagging-reads.js';
import type { RecentWriters } from './recent-writers.js';
import type { Replicas } from './replicas.js';

interface Needs {
  replicas: Pick<Replicas, 'read'>;
  writers: RecentWriters;
  /** A read that could have gone to a replica, of somebody who must not see what is old. */
  onRecent(): void;
}

/** Sends reads that may be a moment old to the replicas, except those of callers to whom it would matter. */
export const createLaggingReads = ({ replicas, writers, onRecent }: Needs): LaggingReads => ({
  async read(caller, work) {
    const who = nameOf(caller);
    if (who === undefined) return work();
    // What a guest may see hangs on rows that are read with the rest, and those must not be old.
    if ('role' in caller && caller.role === 'guest') return work();
    if (!(await writers.has(who))) return replicas.read(work);
    onRecent();
    return work();
  },
  async noteNews(caller) {
    const who = nameOf(caller);
    if (who !== undefined) await writers.note(who);
  },
});

/** The person in the workspace, whichever of their credentials they use. */
const nameOf = (caller: Caller): string | undefined =>
  'userId' in caller ? `${caller.brandId}:${caller.userId}` : undefined;
