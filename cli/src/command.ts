import type { Checkout } from './checkout.js';
import type { Config } from './config.js';
import type { Options } from './options.js';
import type { Output } from './output/output.js';
import type { Service } from './service.js';

export interface Call {
  args: string[];
  options: Options;
  out: Output;
  env: Record<string, string | undefined>;
  folder: string;
  config: Config;
  /** Aborted by Ctrl+C. */
  signal: AbortSignal;
  checkout(): Checkout | undefined;
  service(): Service;
}

/** A command as its group declares it; help, completion and the parser follow from this. */
export interface Command {
  /** `show <card>` */
  use: string;
  about: string;
  examples: string[];
  /** Flags and what they are for; a flag that may be repeated ends in `...`. */
  options?: [flags: string, about: string][];
  /** Says nothing that could be asked for as data. */
  plain?: true;
  run(call: Call): Promise<void> | void;
}

export interface Group {
  name: string;
  about: string;
  commands: Command[];
}
