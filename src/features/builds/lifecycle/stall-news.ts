import type { Tx } from '../../../platform/database/database.js';
import type { BuildOptions } from '../record/builds.options.js';
import { stallStore } from './due.store.js';

/** Some at a time: the next pass has the rest. */
const MOST_TOLD = 200;

/** Tells those who wait for a build, once, that it has got on with nothing for a while. */
export function createStallNews({ clock, inbox }: Pick<BuildOptions, 'clock' | 'inbox'>) {
  return async (tx: Tx): Promise<number> => {
    const now = clock.now();
    const stalled = await stallStore(tx).takeStalled(now, MOST_TOLD);
    await inbox.tell(
      tx,
      stalled.map(({ brand_id, build_id, task_id, created_by, stall_minutes }) => ({
        brandId: brand_id,
        kind: 'build_stalled',
        taskId: task_id,
        buildId: build_id,
        at: now,
        actor: null,
        excerpt: `No progress for ${stall_minutes} minutes: it ends after as long again`,
        to: { users: created_by === null ? [] : [created_by], assignee: true },
      })),
    );
    return stalled.length;
  };
}
