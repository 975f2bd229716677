import type { Command } from '../command.js';
import { runHook } from '../hooks/hook.js';

/** Declared for its help; calls come in through a shorter way (main.ts). */
export const hook: Command = {
  use: 'hook <event>',
  about:
    'What `guildhall connect` has programs call: session-start, tool-used, session-end. Reads what the program tells on stdin, adds at most 9,000 characters, and always ends with 0 within two seconds.',
  examples: ['guildhall hook session-start --program claude < event.json'],
  options: [['--program <program>', 'Who calls: claude or codex']],
  plain: true,
  run: ({ args, env, options }) => runHook([args[0]!, '--program', options.text('program') ?? 'claude'], env),
};
