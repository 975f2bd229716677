import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { ForgeFailed } from '../adapter/forge.js';
import { countFailure, type DueProject, noteAnswer, pauseProject } from './due.store.js';

/** After the first failure in a row, the second and so on. */
const PAUSES = [5, 10, 20, 40, MINUTE, 2 * MINUTE];
const LIMITED_SECONDS = MINUTE;

/** A host that wants a pause has it, and one that is away is tried less and less often. What it refuses is no reason not to ask. */
export async function pauseAfter(db: Db, due: DueProject, failure: ForgeFailed, now: Date): Promise<void> {
  if (failure.fault === 'limited')
    await noteAnswer(db, due, failure.retryAt ?? secondsFrom(now, LIMITED_SECONDS));
  if (failure.fault !== 'unreachable') return;
  const failures = await countFailure(db, due);
  await pauseProject(db, due, secondsFrom(now, PAUSES[Math.min(failures, PAUSES.length) - 1]!));
}
