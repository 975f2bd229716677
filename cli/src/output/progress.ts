import type { Paint } from './colour.js';
import { cellText } from './table.js';

interface Stream {
  isTTY?: boolean;
  write(text: string): unknown;
}

const BAR = 24;
const RUNNER = 6;
const STEP_MS = 250;
const CLEAR = '\r\u001b[2K';

/** Shows a progress bar, only on a terminal. */
export function createProgress(stderr: Stream, label: string, paint: Paint) {
  const isSeen = stderr.isTTY === true;
  return {
    update(done: number, total: number, what = ''): void {
      if (!isSeen) return;
      const filled = total > 0 ? Math.round((Math.min(done, total) / total) * BAR) : 0;
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`;
      const count = total > 0 ? `${done}/${total}` : '';
      stderr.write(`${CLEAR}${label} ${paint('cyan', bar)} ${count} ${cellText(what)}`);
    },
    end(): void {
      if (isSeen) stderr.write(CLEAR);
    },
  };
}

/** Shows a moving bar with the elapsed time, for work of unknown length. */
export function createWaiting(stderr: Stream, label: string, paint: Paint) {
  const began = performance.now();
  const isSeen = stderr.isTTY === true;
  let isDrawn = false;
  let mayDraw = true;
  let step = 0;

  function draw(): void {
    if (!mayDraw) return;
    const before = step % (BAR - RUNNER + 1);
    step += 1;
    const bar = `${'░'.repeat(before)}${'█'.repeat(RUNNER)}${'░'.repeat(BAR - RUNNER - before)}`;
    const seconds = Math.floor((performance.now() - began) / 1000);
    stderr.write(`${CLEAR}${label} ${paint('cyan', bar)} ${seconds} s`);
    isDrawn = true;
  }

  function hide(): void {
    if (isDrawn) stderr.write(CLEAR);
    isDrawn = false;
  }

  const timer = isSeen ? setInterval(draw, STEP_MS).unref() : undefined;
  return {
    /** Hides the bar while a text is printed, and until the text's last line is complete. */
    around(text: string, print: () => void): void {
      hide();
      print();
      mayDraw = text.endsWith('\n');
    },
    end(): void {
      clearInterval(timer);
      hide();
    },
  };
}
