/** An error that the operator sees as one sentence, without a stack. */
export class Refusal extends Error {}

const FAULTS: Record<string, string> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'the quota is used up',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'it can only be read',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EFBIG: 'the file is too large for this disk',
};

/** Describes the most common system errors in plain words. */
export const describeFault = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return FAULTS[code ?? ''] ?? message;
};

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const CLEAR = '\r\u001b[2K';
const EVERY_MS = 100;

/** A line that is updated in place on a terminal, or one line per step elsewhere. */
export interface Progress {
  begin(part: string): void;
  update(detail: string): void;
  end(): void;
}

export function createProgress(output: Terminal): Progress {
  let part = '';
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = (text: string) => output.write(`${CLEAR}${text.slice(0, (output.columns ?? 80) - 1)}`);
  return {
    begin(next) {
      part = next;
      if (output.isTTY) show(part);
      else output.write(`${part}\n`);
    },
    update(detail) {
      if (!output.isTTY || performance.now() - shownAt < EVERY_MS) return;
      shownAt = performance.now();
      show(`${part}: ${detail}`);
    },
    end() {
      if (output.isTTY) output.write(CLEAR);
    },
  };
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
