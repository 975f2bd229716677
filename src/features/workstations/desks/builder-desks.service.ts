import type { Db } from '../../../database/database.js';
import type { Clock } from '../../../kernel/clock.js';
import { prove, type Runtime } from '../sidecar/sidecar-protocol.js';
import { type BuilderDesk as BuilderDeskRow, builderDeskStore } from './builder-desks.store.js';
import type { DeskKeys } from './desk-keys.js';

/** A desk as a place where something can be built. */
export interface BuilderDesk {
  deskId: string;
  runtime: Runtime;
  suspended: boolean;
  /** It answers, is not suspended and not dormant. */
  ready: boolean;
  /** Says to the desk that the message comes from the service it was ordered at. */
  prove(message: string): string;
  /** Changes with the desk's token: what began with another one must not go on. */
  tokenMark: string;
}

/** For whoever gives work to desks. */
export function createBuilderDesks({ db, clock, keys }: { db: Db; clock: Clock; keys: DeskKeys }) {
  const describe = (desk: BuilderDeskRow): BuilderDesk => ({
    deskId: desk.desk_id,
    runtime: desk.runtime,
    suspended: desk.status === 'suspended',
    ready: desk.status === 'active' && !desk.dormant,
    prove: (message) => prove(keys.proofKey(desk), message),
    tokenMark: keys.markOf(desk),
  });

  return {
    async findBuilder(brandId: number, deskId: string): Promise<BuilderDesk | undefined> {
      const desk = await builderDeskStore(db, brandId).find(deskId, clock.now());
      return desk && describe(desk);
    },

    async listBuilders(brandId: number): Promise<BuilderDesk[]> {
      return (await builderDeskStore(db, brandId).list(clock.now())).map(describe);
    },
  };
}
