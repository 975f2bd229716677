import type { BuildFolder } from '../spool/build-folder.js';
import type { BuildClient } from './build-client.js';
import type { Usage } from './build-protocol.js';

interface MeterOptions {
  line: Pick<ReturnType<BuildClient['about']>, 'sendUsage'>;
  folder: Pick<BuildFolder, 'usage'>;
}

const LEAST_MS = 1_000;
/** A service that was away gets what is new meanwhile; totals make up for what it missed. */
const AGAIN_MS = 5_000;
const MOST_UNKNOWN = 5;

/** Tells the service what a build has used, each time there is more. The finish has it too, so nothing waits for this. */
export function createMeter({ line, folder }: MeterOptions) {
  let told = '';
  let next = 0;
  let unknown = 0;
  let busy = false;

  async function tell(usage: Usage, text: string): Promise<void> {
    busy = true;
    const { status } = await line.sendUsage(usage);
    busy = false;
    // An older service does not know the call, and one that has ended the build wants to know no more.
    if (status === 404) unknown += 1;
    const taken = status >= 200 && status < 500 && status !== 404 && status !== 429;
    if (taken) told = text;
    next = performance.now() + (taken ? LEAST_MS : AGAIN_MS);
  }

  return {
    look(): void {
      if (busy || unknown >= MOST_UNKNOWN || performance.now() < next) return;
      const usage = folder.usage();
      const text = JSON.stringify(usage);
      if (usage && text !== told) void tell(usage, text);
    },
  };
}
