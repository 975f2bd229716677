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
  signal: AbortSignal;
  checkout(): Checkout | undefined;
  service(): Service;
}

/** A command as its group declares it. Help, completion and the parser are derived from it. */
export interface Command {
  /** For example `show <card>`. */
  use: string;
  about: string;
  examples: string[];
  /** Flags and their descriptions. A flag that can be repeated ends in `...`. */
  options?: [flags: string, about: string][];
  /** Has no data output, so `--json` and `--yaml` do not apply. */
  plain?: true;
  run(call: Call): Promise<void> | void;
}

export interface Group {
  name: string;
  about: string;
  commands: Command[];
}
