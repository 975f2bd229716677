import type { BuilderDesk } from '../../workstations/workstations.service.js';
import type { WaitingReason } from '../builds.schemas.js';
import { codersOf } from '../runtimes.js';

/** What a desk last said of itself when it asked for work. */
export interface DeskAsking {
  desk_id: string;
  asked_at: Date | null;
  free_slots: number;
  coders: string[];
  held_until: Date | null;
}

export interface Waiting {
  waiting_for: WaitingReason;
  held_until: Date | null;
}

/** A desk asks again within the longest wait; a little more is allowed for the way. */
const ASKS_WITHIN_MS = 70_000;

/** Why a build waits, from what its workspace allows, and what its desks are and last said. */
export function explainWaiting(
  build: { coder: string; wanted_workstation_id: string | null },
  desks: readonly BuilderDesk[],
  askings: ReadonlyMap<string, DeskAsking>,
  enabled: boolean,
  now: Date,
): Waiting {
  if (!enabled) return { waiting_for: 'policy', held_until: null };
  const open = desks.flatMap((desk) => {
    const asking = askings.get(desk.deskId);
    const wanted = build.wanted_workstation_id ?? desk.deskId;
    const fits = desk.ready && wanted === desk.deskId && runs(desk, asking, build.coder);
    return fits && asking && asksStill(asking, now) ? [asking] : [];
  });
  if (open.length === 0) return { waiting_for: 'desk', held_until: null };
  const holds = open.flatMap(({ held_until }) => (held_until && held_until > now ? [held_until] : []));
  if (holds.length < open.length) return { waiting_for: 'slot', held_until: null };
  const first = Math.min(...holds.map((hold) => hold.getTime()));
  return { waiting_for: 'hold', held_until: new Date(first) };
}

const asksStill = ({ asked_at }: DeskAsking, now: Date): boolean =>
  asked_at !== null && now.getTime() - asked_at.getTime() < ASKS_WITHIN_MS;

const runs = (desk: BuilderDesk, asking: DeskAsking | undefined, coder: string): boolean =>
  codersOf(desk.runtime).some((each) => each === coder) && (asking?.coders.includes(coder) ?? false);
