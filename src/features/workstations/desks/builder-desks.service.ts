import type { Clock } from '../../../kernel/clock.js';
import type { DeskLogin, Runtime } from '../../../kernel/runtimes.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { prove } from '../sidecar/sidecar-protocol.js';
import { type BuilderDesk as BuilderDeskRow, builderDeskStore } from './builder-desks.store.js';
import type { DeskKeys } from './desk-keys.js';
import { deskStore, type NewDeskEvent } from './desks.store.js';

/** A desk as a place where something can be built. */
export interface BuilderDesk {
  deskId: string;
  name: string;
  runtime: Runtime;
  /** The one project that it builds for; null: all. */
  onlyProjectId: string | null;
  suspended: boolean;
  /** It answers, is not suspended and not dormant. */
  ready: boolean;
  /** As its health last showed them. */
  logins: readonly DeskLogin[];
  /** Says to the desk that the message comes from the service it was ordered at. */
  prove(message: string): string;
  /** Changes with the desk's token: what began with another one must not go on. */
  tokenMark: string;
}

/** For whoever gives work to desks. */
export function createBuilderDesks({ db, clock, keys }: { db: Db; clock: Clock; keys: DeskKeys }) {
  const describe = (desk: BuilderDeskRow): BuilderDesk => ({
    deskId: desk.desk_id,
    name: desk.name,
    runtime: desk.runtime,
    onlyProjectId: desk.only_project_id,
    suspended: desk.status === 'suspended',
    ready: desk.status === 'active' && !desk.dormant,
    logins: desk.credentials,
    prove: (message) => prove(keys.proofKey(desk), message),
    tokenMark: keys.markOf(desk),
  });

  return {
    async findBuilder(brandId: number, deskId: string): Promise<BuilderDesk | undefined> {
      const desk = await builderDeskStore(db, brandId).find(deskId, clock.now());
      return desk && describe(desk);
    },

    /** What became of its work, as a part of its story. */
    noteEvent: (tx: Tx, { brandId, deskId }: { brandId: number; deskId: string }, event: NewDeskEvent) =>
      deskStore(tx, brandId).addEvent(deskId, event),

    async listBuilders(brandId: number): Promise<BuilderDesk[]> {
      return (await builderDeskStore(db, brandId).list(clock.now())).map(describe);
    },
  };
}
