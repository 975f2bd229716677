/** Work that came in one turn of the event loop, spread over several so that none takes long. */
export interface LoopTurns {
  /** Does it now, or when there is time; `giveUp` instead when there is none for too long, and too many wait for some. */
  run(work: () => void, giveUp: () => void): void;
}

/** So long is work begun in one turn. Connections and answers of the database are looked at between two. */
const TURN_MS = 10;
/** Whoever has waited so long would be answered late. */
const LONGEST_WAIT_MS = 300;

interface Waiting {
  since: number;
  work(): void;
  giveUp(): void;
}

/** A thousand requests that are read at once would otherwise be a thousand that are all half done, and a loop that is late for everybody. */
export function createLoopTurns(
  isCrowded: () => boolean,
  now: () => number = () => performance.now(),
): LoopTurns {
  const waiting: Waiting[] = [];
  let began: number | undefined;

  const begin = () => {
    began = now();
    setImmediate(end);
  };
  const end = () => {
    began = undefined;
    if (waiting.length === 0) return;
    begin();
    while (waiting.length > 0 && hasTime()) {
      const { since, work, giveUp } = waiting.shift()!;
      if (now() - since > LONGEST_WAIT_MS && isCrowded()) giveUp();
      else work();
    }
  };
  const hasTime = () => began !== undefined && now() - began < TURN_MS;

  return {
    run(work, giveUp) {
      if (began === undefined) begin();
      if (waiting.length === 0 && hasTime()) work();
      else waiting.push({ since: now(), work, giveUp });
    },
  };
}
