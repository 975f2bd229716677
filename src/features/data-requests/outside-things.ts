import { rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Tx } from '../../platform/database/database.js';
import type { ImageStore } from '../../platform/images/images.js';
import type { Mailer } from '../../platform/mail/mail-out.js';
import { retireAgentDirectory } from '../memory/index.js';
import type { Things } from './erasures.store.js';

export interface OutsideOptions {
  images: ImageStore;
  mailer: Pick<Mailer, 'forget'>;
  removeMirror(projectId: string): Promise<void>;
  dataDir: string;
  agentsDir: string;
  sourcesDir: string;
  repositoriesDir: string;
}

export type OutsideThings = ReturnType<typeof createOutsideThings>;

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,255}$/;

/** What lies outside the database. Everything can be removed twice; what cannot be removed is a failure. */
export function createOutsideThings(options: OutsideOptions) {
  const { images, removeMirror, agentsDir } = options;
  const home = resolve(options.dataDir) + sep;
  const remove = (folder: string) => rm(folder, { recursive: true, force: true });

  return {
    async removeImages(keys: readonly string[]): Promise<void> {
      if (images.configured) for (const key of keys) await images.delete(key);
    },

    removeLetters: (addresses: readonly string[]): Promise<void> => options.mailer.forget(addresses),

    removeMailbox: (userId: number): Promise<void> => remove(join(options.dataDir, 'mail', String(userId))),

    /** Before the directories of agents are removed: no export writes there again after the commit. */
    async retireAgents(tx: Tx, agentIds: readonly string[], now: Date): Promise<void> {
      for (const agentId of agentIds) await retireAgentDirectory(tx, agentId, now);
    },

    async removeThings(brandId: number, things: Things): Promise<void> {
      await this.removeImages(things.images);
      for (const projectId of things.projects) await removeMirror(projectId);
      for (const agentId of things.agents) {
        // No other id ever had a folder.
        if (PLAIN_NAME.test(agentId)) await remove(join(agentsDir, agentId));
      }
      for (const folder of [options.sourcesDir, options.repositoriesDir]) {
        // A place that the operator set apart is the operator's own: what lies there may have come from elsewhere.
        if (resolve(folder).startsWith(home)) await remove(join(folder, String(brandId)));
      }
    },
  };
}
