import type { CameBack } from '../../builds/index.js';
import { type Check, type Forge, ForgeFailed } from '../adapter/forge.js';
import { LOG_LINES, MOST_CHECKS } from './rework-size.js';

/** After this many failures, no more logs are requested. */
const MOST_FAILURES = 3;

/** The failed checks with the end of their logs where the host gives them; undefined when a limit is reached. */
export async function readFailing(
  forge: Pick<Forge, 'readCheckLog'>,
  checks: readonly Check[],
): Promise<CameBack['checks'] | undefined> {
  let failures = 0;

  async function readLog(check: Check): Promise<string | null> {
    while (failures < MOST_FAILURES) {
      try {
        return (await forge.readCheckLog(check, LOG_LINES)) ?? null;
      } catch (error) {
        if (!(error instanceof ForgeFailed) || error.fault === 'limited') throw error;
        if (error.fault !== 'unreachable') return null;
        failures += 1;
      }
    }
    return null;
  }

  try {
    const failing: CameBack['checks'] = [];
    for (const check of checks.filter(({ state }) => state === 'failing').slice(0, MOST_CHECKS))
      failing.push({ name: check.name, summary: check.summary, log: await readLog(check) });
    return failing;
  } catch (error) {
    if (!(error instanceof ForgeFailed)) throw error;
    return undefined;
  }
}
