/** The writes that the service has acknowledged, which must all exist at the end. */
export interface Ledger {
  cards: Map<string, CardEntry>;
  /** Titles of memories, each written once. */
  memories: Set<string>;
  /** The number of acknowledged writes, and of writes with no answer or a temporary refusal. */
  acknowledged: number;
  interrupted: number;
  /** Answers that are always an error. */
  faults: string[];
}

interface CardEntry {
  title: string;
  /** The title of a change without an answer, which may or may not have been applied. */
  perhaps?: string;
  comments: number;
}

export const emptyLedger = (): Ledger => ({
  cards: new Map(),
  memories: new Set(),
  acknowledged: 0,
  interrupted: 0,
  faults: [],
});

export interface Kept {
  cards: Map<string, { title: string; comments: number }>;
  memories: string[];
}

/** Lists records that are missing, exist twice, or were never written. */
export function compare(ledger: Ledger, kept: Kept): string[] {
  const findings: string[] = [];
  for (const [id, { title, perhaps, comments }] of ledger.cards) {
    const card = kept.cards.get(id);
    if (!card) {
      findings.push(`The card ${id} was acknowledged and is gone`);
      continue;
    }
    if (card.title !== title && card.title !== perhaps)
      findings.push(`The card ${id} has the title ${card.title} instead of ${title}`);
    if (card.comments !== comments)
      findings.push(`The card ${id} has ${card.comments} comments instead of ${comments}`);
  }
  for (const id of kept.cards.keys())
    if (!ledger.cards.has(id)) findings.push(`The card ${id} was created without an acknowledgment`);
  const counts = new Map<string, number>();
  for (const title of kept.memories) counts.set(title, (counts.get(title) ?? 0) + 1);
  for (const title of ledger.memories)
    if (counts.get(title) !== 1)
      findings.push(`The memory ${title} is there ${counts.get(title) ?? 0} times`);
  for (const title of counts.keys())
    if (!ledger.memories.has(title))
      findings.push(`The memory ${title} was created without an acknowledgment`);
  return findings;
}
