import { type Clock, DAY, dayOf, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import { availabilityStore, type KnownDesk, type Transition } from './desks.store.js';

export const AVAILABILITY_DAYS = 14;

export function createAvailability({ db, clock }: { db: Db; clock: Clock }) {
  return {
    async listAvailability(brandId: number) {
      const now = clock.now();
      const store = availabilityStore(db, brandId);
      const midnight = new Date(`${dayOf(now)}T00:00:00Z`);
      const days = Array.from({ length: AVAILABILITY_DAYS }, (_, i) =>
        secondsFrom(midnight, (i + 1 - AVAILABILITY_DAYS) * DAY),
      );
      const desks = await store.listDesks();
      const transitions = await store.listTransitions(
        desks.map((desk) => desk.desk_id),
        days[0]!,
      );
      const byDesk = groupByDesk(transitions);
      return desks.map((desk) => describeDesk(desk, byDesk.get(desk.desk_id) ?? [], days, now));
    },
  };
}

function describeDesk(desk: KnownDesk, transitions: Transition[], days: Date[], now: Date) {
  const spans = readySpans(desk, transitions, days[0]!, now);
  const minutes = days.map((day) => ({
    day: dayOf(day),
    ready_minutes: Math.round(overlap(spans, day, secondsFrom(day, DAY)) / (MINUTE * 1000)),
  }));
  const first = Math.max(days[0]!.getTime(), desk.created_at.getTime());
  const lived = now.getTime() - first;
  const ready = overlap(spans, days[0]!, now);
  return {
    workstation_id: desk.desk_id,
    name: desk.name,
    ready_share: lived <= 0 ? 0 : Math.min(1, Math.round((ready / lived) * 10_000) / 10_000),
    days: minutes,
  };
}

interface Span {
  from: number;
  to: number;
}

/** Without a transition in the period, the desk had its current status all the time. */
function readySpans(desk: KnownDesk, transitions: Transition[], since: Date, now: Date): Span[] {
  const begin = Math.max(since.getTime(), desk.created_at.getTime());
  let status = transitions.length > 0 ? transitions[0]!.from_status : desk.status;
  let from = begin;
  const spans: Span[] = [];
  const close = (to: number) => {
    if (status === 'active' && to > from) spans.push({ from, to });
  };
  for (const { at, to_status } of transitions) {
    close(at.getTime());
    status = to_status;
    from = Math.max(begin, at.getTime());
  }
  close(now.getTime());
  return spans;
}

const overlap = (spans: Span[], from: Date, to: Date): number =>
  spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.to, to.getTime()) - Math.max(span.from, from.getTime())),
    0,
  );

function groupByDesk(transitions: Transition[]): Map<string, Transition[]> {
  const groups = new Map<string, Transition[]>();
  for (const transition of transitions) {
    const known = groups.get(transition.desk_id);
    if (known) known.push(transition);
    else groups.set(transition.desk_id, [transition]);
  }
  return groups;
}
