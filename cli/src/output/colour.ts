const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

/** As https://no-color.org says, any value that is not empty turns colors off. */
export const wantsColour = (env: Record<string, string | undefined>, isTerminal: boolean): boolean =>
  isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';

export const painter =
  (on: boolean): Paint =>
  (colour, text) => {
    const [open, close] = CODES[colour];
    return on ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  };

const MOODS: Record<string, Colour> = {
  done: 'green',
  succeeded: 'green',
  ready: 'green',
  active: 'green',
  delivered: 'green',
  in_progress: 'cyan',
  running: 'cyan',
  checking: 'cyan',
  in_review: 'yellow',
  queued: 'yellow',
  claimed: 'yellow',
  provisioning: 'yellow',
  pending: 'dim',
  canceled: 'dim',
  blocked: 'red',
  failed: 'red',
  lost: 'red',
  timed_out: 'red',
  unreachable: 'red',
};

export const moodOf = (word: string): Colour | undefined => MOODS[word];
