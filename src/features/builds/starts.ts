import { sha256Hex } from '../../kernel/secrets.js';
import type { Tx } from '../../platform/database/database.js';
import { tellOfBuild } from './build-messages.js';
import type { BuildOptions } from './builds.options.js';
import type { WrittenBrief } from './builds.parts.js';
import { type BuildRow, buildStore } from './builds.store.js';
import type { CardFollow } from './cards/card-follow.js';
import { deskWorkStore } from './desk/desk-work.store.js';
import type { StartSettings } from './desk/start-settings.js';

/** What a build begins with. */
export interface Beginning extends StartSettings {
  brief: WrittenBrief;
  runtime: string;
}

/** How builds start, wherever they run: the facts, the card and whoever listens, in one transaction. */
export function createStarts({
  clock,
  outbox,
  cards,
}: Pick<BuildOptions, 'clock' | 'outbox'> & { cards: CardFollow }) {
  return async (tx: Tx, build: BuildRow, { brief, runtime, ...held }: Beginning): Promise<BuildRow> => {
    const now = clock.now();
    const written = { ...brief, digest: sha256Hex(brief.text) };
    await deskWorkStore(tx, build.brand_id).start(build.build_id, { brief: written, ...held }, now);
    if (build.kind === 'build') await cards.followStart(tx, build, now, runtime);
    const started = (await buildStore(tx, build.brand_id).find(build.build_id, now))!;
    if (build.kind === 'build') await tellOfBuild(outbox, tx, 'build.started', started, now);
    return started;
  };
}

export type BeginBuild = ReturnType<typeof createStarts>;
