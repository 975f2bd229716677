import type { Command } from '../command.js';
import { runHook } from '../hooks/hook.js';

/** Declared only for its help: main.ts runs hooks without loading the parser. */
export const hook: Command = {
  use: 'hook <event>',
  about:
    'Run a hook that `guildhall connect` installed: session-start, tool-used or session-end. Reads JSON from standard input, prints at most 9,000 characters, and always exits with 0 within two seconds.',
  examples: ['guildhall hook session-start --program claude < event.json'],
  options: [['--program <program>', 'The calling program: claude or codex']],
  plain: true,
  run: ({ args, env, options }) => runHook([args[0]!, '--program', options.text('program') ?? 'claude'], env),
};
