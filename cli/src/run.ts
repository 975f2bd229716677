import { CommanderError } from 'commander';
import { EXIT, explain } from './failure.js';
import { cleanText } from './output/clean.js';
import { painter, wantsColour } from './output/colour.js';
import { createProgram } from './program.js';

const HELPS = ['commander.helpDisplayed', 'commander.help', 'commander.version'];

export async function run(typed: string[], env: Record<string, string | undefined>): Promise<void> {
  const cancel = new AbortController();
  let interrupted = false;
  process.on('SIGINT', () => {
    // Twice means now.
    if (interrupted) process.exit(EXIT.usage);
    interrupted = true;
    cancel.abort();
  });
  try {
    const program = await createProgram(typed, env, cancel.signal);
    if (typed.length === 0) program.outputHelp();
    else await program.parseAsync(typed, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && HELPS.includes(error.code)) return;
    process.exitCode = interrupted ? EXIT.usage : tell(error, typed, env);
  }
}

function tell(error: unknown, typed: string[], env: Record<string, string | undefined>): number {
  const paint = painter(wantsColour(env, process.stderr.isTTY === true));
  const { message, hint, requestId, code } =
    error instanceof CommanderError ? explainMisuse(error, typed) : explain(error);
  const lines = [`${paint('red', 'guildhall:')} ${cleanText(message)}`];
  if (hint) lines.push(`  ${cleanText(hint)}`);
  if (requestId) lines.push(`  ${paint('dim', `request id: ${cleanText(requestId)}`)}`);
  process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}

function explainMisuse(error: CommanderError, typed: string[]) {
  const words = typed.filter((word) => /^[a-z][a-z-]*$/.test(word)).slice(0, 2);
  return {
    message: error.message.replace(/^error: /, ''),
    hint: `See how it is used with: guildhall ${words.length > 0 ? `${words[0]} ` : ''}--help`,
    requestId: undefined,
    code: EXIT.usage,
  };
}
