interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const CLEAR = '\r\u001b[2K';
const EVERY_MS = 100;

/** One line that moves for whoever watches, and a line for each part of the work for whoever reads it later. */
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
