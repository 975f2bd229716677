import { isLackOfRoom } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import type { Usage } from '../work/build-protocol.js';
import { readTimes, type Tree } from './process-tree.js';

const LOOK_MS = 5_000;
const LEAST_MS = 1_000;
/** In ticks of 10 ms: an idle program uses some CPU time too. */
const WORKING_TICKS = 10;

interface Signs {
  folder: Pick<BuildFolder, 'keepProgress' | 'keepUsage'>;
  tree: Tree;
}

/**
 * Records when a build last made progress and its usage so far. CPU time counts as progress, because a
 * compiler may print nothing.
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
      // The next check writes it.
      if (!isLackOfRoom(error)) console.error(error);
    }
  }

  look();
  const timer = setInterval(look, LOOK_MS);
  return {
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
        // The next check writes it.
      }
    },

    end(): void {
      clearInterval(timer);
    },
  };
}

export type VitalSigns = ReturnType<typeof watchSigns>;
