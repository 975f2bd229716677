import { useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { readFileLines } from '../../api/builds.js';
import type { GuildhallError } from '../../api/client.js';
import { addLines, type Context, NO_CONTEXT } from './context.js';
import type { DiffFile } from './diff.js';

export interface ContextHands {
  context: Context;
  busy: boolean;
  fault: GuildhallError | undefined;
  show(first: number, last: number): void;
}

/** The API returns at most this many lines per request. */
const AT_ONCE = 500;

export function useContextLines(buildId: string, file: DiffFile | undefined): ContextHands {
  const [kept, setKept] = useState<{ of: DiffFile | undefined; context: Context }>({
    of: file,
    context: NO_CONTEXT,
  });
  // Another diff omits other lines, so discard the loaded context.
  const context = kept.of === file ? kept.context : NO_CONTEXT;
  const action = useAction(async (first: number, last: number) => {
    if (!file) return;
    for (let from = first; from <= last; ) {
      const to = Math.min(last, from + AT_ONCE - 1);
      const read = await readFileLines(buildId, { path: file.path, from, to });
      setKept((all) => ({
        of: file,
        context: addLines(file, all.of === file ? all.context : NO_CONTEXT, read),
      }));
      if (read.lines.length === 0) return;
      from += read.lines.length;
    }
  });
  const { busy, fault, run } = action;
  return useMemo(
    () => ({ context, busy, fault, show: (first, last) => void run(first, last) }),
    [context, busy, fault, run],
  );
}
