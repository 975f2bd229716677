import { CommanderError } from 'commander';
import { EXIT, explain } from './failure.js';
import { cleanText } from './output/clean.js';
import { painter, wantsColour } from './output/colour.js';
import { createProgram } from './program.js';

const HELPS = ['commander.helpDisplayed', 'commander.help', 'commander.version'];

/** Error messages repeat arguments, which may contain a token typed in the wrong place. */
const SECRET = /(\bguild_[a-z]+_|\bwhsec_)[\w+/=-]+/g;

export async function run(typed: string[], env: Record<string, string | undefined>): Promise<void> {
  const cancel = new AbortController();
  let interrupted = false;
  process.on('SIGINT', () => {
    // A second Ctrl+C exits immediately.
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
    process.exitCode = interrupted ? EXIT.usage : reportError(error, typed, env);
  }
}

function reportError(error: unknown, typed: string[], env: Record<string, string | undefined>): number {
  const paint = painter(wantsColour(env, process.stderr.isTTY === true));
  const { message, hint, requestId, code } =
    error instanceof CommanderError ? explainMisuse(error, typed) : explain(error);
  const lines = [`${paint('red', 'guildhall:')} ${cleanText(message).replace(SECRET, '$1…')}`];
  if (hint) lines.push(`  ${cleanText(hint)}`);
  if (requestId) lines.push(`  ${paint('dim', `request id: ${cleanText(requestId)}`)}`);
  process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}

function explainMisuse(error: CommanderError, typed: string[]) {
  const group = typed.find((word) => /^[a-z][a-z-]*$/.test(word));
  // An unknown group has no help page to refer to.
  const isKnown = group !== undefined && !error.message.includes(`'${group}'`);
  return {
    message: error.message.replace(/^error: /, ''),
    hint: `Show the usage with: guildhall ${isKnown ? `${group} ` : ''}--help`,
    requestId: undefined,
    code: EXIT.usage,
  };
}
