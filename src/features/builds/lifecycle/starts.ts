import { sha256Hex } from '../../../kernel/secrets.js';
import type { Tx } from '../../../platform/database/database.js';
import type { CoderChoice } from '../policy/coder-choice.js';
import { tellOfBuild } from '../record/build-messages.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { WrittenBrief } from '../record/builds.parts.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { CardFollow } from './card-follow.js';
import { lifecycleStore, type StartSettings } from './lifecycle.store.js';

/** What a build begins with. */
export interface Beginning extends StartSettings {
  brief: WrittenBrief;
  runtime: string;
}

/** What is known of a build before anything is held. */
export interface PreparedBuild {
  card: { id: string; ref: string };
  projectId: string;
  choice: CoderChoice;
  base: { branch: string; sha: string; origin: string };
  /** Of one on a person's own machine: what it begins with, at once. */
  beginning?: Beginning;
}

/** What a review that asks for another attempt brings along. */
export interface BuildOfReview {
  prepared?: PreparedBuild;
  /** What it refuses is refused before anything else; what it answers is carried out once the build is there. */
  decide?(tx: Tx, now: Date): Promise<(() => Promise<void>) | undefined>;
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
    await lifecycleStore(tx, build.brand_id).start(build.build_id, { brief: written, ...held }, now);
    if (build.kind === 'build') await cards.followStart(tx, build, now, runtime);
    const started = (await buildStore(tx, build.brand_id).find(build.build_id, now))!;
    if (build.kind === 'build') await tellOfBuild(outbox, tx, 'build.started', started, now);
    return started;
  };
}

export type BeginBuild = ReturnType<typeof createStarts>;
