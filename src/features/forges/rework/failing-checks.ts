import type { CameBack } from '../../builds/index.js';
import { type Check, type Forge, ForgeFailed } from '../adapter/forge.js';
import { LOG_LINES, MOST_CHECKS } from './bounds.js';

/** So often a host may fail to give a log before it is asked for no more of them. */
const MOST_FAILURES = 3;

/** What failed, with the end of what it printed where the host gives it; undefined where the host wants to be asked later. */
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
