import { ACTIVE, type AgentIndex, type Documents, idOf, STATUSES } from './agent-index.js';

/** Which memories may be returned. */
export interface Returnable {
  /** By their place in the list of kinds, counted from 1. */
  kinds: ReadonlySet<number>;
  now: Date;
}

/** Where a memory stands among the others. */
export interface Standing {
  number: number;
  /** Lower comes first, whatever the score. */
  tier: number;
  score: number;
  confidence: number;
}

const LOWEST_CONFIDENCE = 0.3;
/** The last of the levels of importance, counted from 1. */
const CRITICAL = 4;
const WEEK_MS = 7 * 24 * 3600 * 1000;

/** The confidence of a memory that may be returned. */
export function findReturnable(
  { documents }: AgentIndex,
  number: number,
  { kinds, now }: Returnable,
): number | undefined {
  if (documents.status[number] !== ACTIVE || !kinds.has(documents.kind[number]!)) return undefined;
  const confidence = confidenceOf(documents, number, now);
  return confidence < LOWEST_CONFIDENCE ? undefined : confidence;
}

/** As the database works it out, to the last digit it keeps. */
export function confidenceOf(documents: Documents, number: number, now: Date): number {
  const set = documents.confidence[number]! * 10_000;
  if (documents.importance[number] === CRITICAL) return roundHalfEven(set) / 10_000;
  const weeks = Math.max(0, now.getTime() - documents.verifiedAt[number]!) / WEEK_MS;
  return roundHalfEven(set * 0.98 ** weeks) / 10_000;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Keeps the best so many, in order. */
export function collectBest<T extends Standing>(index: AgentIndex, limit: number) {
  const best: T[] = [];
  const compare = (a: T, b: T) => a.tier - b.tier || b.score - a.score || compareEqual(index.documents, a, b);
  return {
    /** Whether a memory of this tier and score may still be among them. */
    admits(tier: number, score: number): boolean {
      const last = best[limit - 1];
      return !last || tier < last.tier || (tier === last.tier && score >= last.score);
    },
    offer(standing: T): void {
      if (best.length === limit) {
        if (compare(standing, best[limit - 1]!) >= 0) return;
        best.pop();
      }
      let low = 0;
      for (let high = best.length; low < high; ) {
        const middle = (low + high) >>> 1;
        if (compare(best[middle]!, standing) <= 0) low = middle + 1;
        else high = middle;
      }
      best.splice(low, 0, standing);
    },
    list: (): readonly T[] => best,
  };
}

/** What decides between equal matches: importance, then confidence, then the newest. */
function compareEqual(documents: Documents, a: Standing, b: Standing): number {
  return (
    documents.importance[b.number]! - documents.importance[a.number]! ||
    b.confidence - a.confidence ||
    documents.createdAt[b.number]! - documents.createdAt[a.number]! ||
    Buffer.compare(documents.ids.read(b.number), documents.ids.read(a.number))
  );
}

/** The ids of the best memories when nothing was asked. */
export function listTop(index: AgentIndex, returnable: Returnable, limit: number): string[] {
  const best = collectBest(index, limit);
  for (let number = 0; number < index.documents.ids.size; number += 1) {
    const confidence = findReturnable(index, number, returnable);
    if (confidence !== undefined) best.offer({ number, confidence, tier: 0, score: 0 });
  }
  return best.list().map(({ number }) => idOf(index, number));
}

export interface LeftOut {
  archived: number;
  merged: number;
  low_confidence: number;
  other_kind: number;
}

/** Memories that would match and may not be returned, by the first reason that keeps them back. */
export function countLeftOut(index: AgentIndex, numbers: Iterable<number>, returnable: Returnable): LeftOut {
  const { status, kind } = index.documents;
  const left: LeftOut = { archived: 0, merged: 0, low_confidence: 0, other_kind: 0 };
  for (const number of numbers) {
    const found = STATUSES[status[number]! - 1];
    if (found === 'archived' || found === 'merged') left[found] += 1;
    else if (found === undefined) continue;
    else if (!returnable.kinds.has(kind[number]!)) left.other_kind += 1;
    else if (findReturnable(index, number, returnable) === undefined) left.low_confidence += 1;
  }
  return left;
}
