import { isLackOfRoom } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Usage } from '../work/build-protocol.js';
import { readTimes, type Tree } from './process-tree.js';

const LOOK_MS = 5_000;
const LEAST_MS = 1_000;
/** Ticks of a hundredth of a second: a program that only waits uses some too. */
const WORKING_TICKS = 10;

interface Signs {
  folder: Pick<BuildFolder, 'keepProgress' | 'keepUsage'>;
  tree: Tree;
}

/**
 * Writes down when a build last got on with something, and what it has used so far: whoever prints nothing and uses CPU time
 * compiles.
 */
export function watchSigns({ folder, tree }: Signs) {
  let printed = true;
  let times = new Map<string, number>();
  let readUsage: (() => Usage | undefined) | undefined;
  let kept = '';
  let next = 0;

  function keepUsage(): void {
    const usage = readUsage?.();
    const text = JSON.stringify(usage);
    if (!usage || text === kept) return;
    folder.keepUsage(usage);
    kept = text;
  }

  function hasWorked(): boolean {
    const before = times;
    times = readTimes(tree);
    let ticks = 0;
    for (const [process, had] of times) ticks += Math.max(0, had - (before.get(process) ?? 0));
    return ticks >= WORKING_TICKS;
  }

  function look(): void {
    try {
      const worked = hasWorked();
      if (worked || printed) folder.keepProgress(new Date().toISOString());
      printed = false;
      keepUsage();
    } catch (error) {
      // It is told with the next look.
      if (!isLackOfRoom(error)) console.error(error);
    }
  }

  look();
  const timer = setInterval(look, LOOK_MS);
  return {
    /** From where what it has used is read; `now`: whenever it prints something, for what costs nothing to read. */
    meter(read: () => Usage | undefined): void {
      readUsage = read;
    },

    note(isCheap: boolean): void {
      printed = true;
      if (!isCheap || performance.now() < next) return;
      next = performance.now() + LEAST_MS;
      try {
        keepUsage();
      } catch {
        // The next look has it.
      }
    },

    end(): void {
      clearInterval(timer);
    },
  };
}

export type VitalSigns = ReturnType<typeof watchSigns>;
