import { CODERS, explainFault, isBuiltInCoder, isRefused } from '../../../kernel/plans.js';
import type { BuilderDesk } from '../../workstations/index.js';
import type { CoderList } from '../builds.schemas.js';
import type { BuildDeps } from '../record/build-deps.js';
import { deskCoderStore } from './desk-coders.store.js';
import { queueStore } from './queue.store.js';
import { asksStill, type DeskAsking } from './waiting.js';

/** Lists the coders of a workspace's desks. */
export function createCoderList({ db, clock, desks }: BuildDeps) {
  return async (brandId: number): Promise<CoderList> => {
    const now = clock.now();
    const reported = await deskCoderStore(db, brandId).list(now);
    const builders = new Map((await desks.listBuilders(brandId)).map((desk) => [desk.deskId, desk]));
    const askings = new Map((await queueStore(db, brandId).listAskings()).map((one) => [one.desk_id, one]));
    const names = [...new Set<string>([...CODERS, ...reported.map(({ name }) => name)])];
    return {
      coders: names.map((name) => ({
        name,
        builtin: isBuiltInCoder(name),
        desks: reported.flatMap((one) => {
          const desk = one.name === name ? builders.get(one.desk_id) : undefined;
          if (!desk) return [];
          const missing = findFault(desk, askings.get(one.desk_id), name, now);
          const { desk_id: workstation_id, version } = one;
          return [{ workstation_id, name: desk.name, version, ready: missing === null, missing }];
        }),
      })),
    };
  };
}

/** Why the desk cannot run the coder now; null when it can. */
function findFault(
  desk: BuilderDesk,
  asking: DeskAsking | undefined,
  coder: string,
  now: Date,
): string | null {
  const refused = asking && isRefused(coder, asking.refusals, desk.logins) ? [coder] : [];
  const fault = explainFault(desk.runtime, asking?.asked_at ? { ...asking, refused } : undefined, coder);
  if (fault !== null) return fault;
  if (desk.suspended) return 'the desk is suspended';
  if (!desk.ready) return 'the desk is not ready';
  return asksStill(asking!, now) ? null : 'the desk does not ask for work';
}
