import { spawn } from 'node:child_process';
import { GuildhallError } from '../../../client/src/index.js';
import { chooseAgentAccess } from '../agent-tokens.js';
import { findCheckout } from '../checkout.js';
import { readConfig } from '../config.js';
import { Failure } from '../failure.js';
import { cleanText } from '../output/clean.js';
import { openService } from '../service.js';
import { resolveAgent } from './agent.js';
import {
  type Hook,
  type HookContext,
  isProgram,
  LATE_EVENT,
  type Program,
  readEvent,
  type Said,
} from './event.js';
import { clearFailure, type HookPlace, keepFailure } from './failures.js';
import { showLessons } from './lessons.js';
import { pushConversation } from './push.js';
import { describeFailures, showMemories } from './recall.js';

/** The program waits for its hooks, so they stop after this time even when the server is slow. */
const PATIENCE_SECONDS = 1.4;
/** The maximum of GUILDHALL_HOOK_SECONDS, which allows hooks more time on slow connections. */
const LONGEST_PATIENCE_SECONDS = 60;
/** The minimum left for the hook when starting Node.js took most of the time. */
const LEAST_MS = 200;
/** For a detached push, which no program waits for. */
const LATE_PATIENCE_MS = 30_000;
/** Extra time to read the event on a busy machine: without it the detached process could not continue. */
const READING_MS = 2500;
/** Programs cut output of more than 10,000 characters. */
export const MOST_CHARACTERS = 9000;

type Environment = Record<string, string | undefined>;

const START = 'session-start';
const HOOKS: Record<string, { name: string; run: Hook; canContinue?: true }> = {
  [START]: { name: 'SessionStart', run: showMemories },
  'tool-used': { name: 'PostToolUse', run: showLessons },
  'session-end': { name: 'SessionEnd', run: pushConversation, canContinue: true },
};
/** The programs' own names for these events. */
const ALIASES: Record<string, string> = {
  sessionstart: START,
  posttooluse: 'tool-used',
  'post-tool-use': 'tool-used',
  sessionend: 'session-end',
  stop: 'session-end',
};

function nameOf(words: string[]): string {
  const event = (words[0] ?? '').toLowerCase();
  return ALIASES[event] ?? event;
}

const hookOf = (words: string[]) => (Object.hasOwn(HOOKS, nameOf(words)) ? HOOKS[nameOf(words)] : undefined);

function patienceOf({ GUILDHALL_HOOK_SECONDS: given }: Environment): number {
  const seconds = Number(given || PATIENCE_SECONDS);
  return seconds > 0 ? Math.min(seconds, LONGEST_PATIENCE_SECONDS) : PATIENCE_SECONDS;
}

/** Never fails and always exits in time, so that a hook cannot interrupt the agent's work. */
export async function runHook(words: string[], env: Environment): Promise<void> {
  const stop = new AbortController();
  const isLate = env[LATE_EVENT] !== undefined;
  const left = isLate ? LATE_PATIENCE_MS : Math.max(LEAST_MS, patienceOf(env) * 1000 - performance.now());
  const canContinue = !isLate && hookOf(words)?.canContinue === true;
  let unfinished: Said | undefined;
  let place: HookPlace | undefined;
  let isOver = false;
  const end = () => {
    if (canContinue && !unfinished && !isOver) {
      isOver = true;
      limit = setTimeout(end, READING_MS);
      return;
    }
    if (canContinue && unfinished) continueDetached(words, unfinished, env);
    else if (place)
      keepFailure(env, place, { sentence: 'The service did not answer in time', refused: false });
    process.exit(0);
  };
  let limit = setTimeout(end, left);
  process.exitCode = 0;
  try {
    const text = await answer(words, env, stop.signal, {
      begin: (said) => {
        unfinished = said;
        if (isOver) end();
      },
      locate: (found) => {
        place = found;
      },
    });
    if (text) process.stdout.write(text);
    if (place?.asked) clearFailure(env, place);
  } catch (error) {
    const text = place && recordFailure(error, place, env);
    if (text) process.stdout.write(text);
  }
  clearTimeout(limit);
  stop.abort();
  // Exits only after stdout is flushed into the pipe.
  process.stdout.write('', () => process.exit(0));
}

/** Returns earlier refusals at the start of a session. A refusal of this session is shown in the next one. */
function recordFailure(error: unknown, place: HookPlace, env: Environment): string | undefined {
  const refused = error instanceof GuildhallError && error.status >= 400 && error.status < 500;
  const before =
    refused && place.hook === START ? describeFailures({ env, checkout: place.checkout }) : undefined;
  // Other errors, such as a missing transcript, are not Guildhall's to report.
  if (error instanceof GuildhallError || error instanceof Failure)
    keepFailure(env, place, { sentence: error.message, refused });
  return before && shorten(cleanText(before), HOOKS[START]!.name);
}

/** Continues in a detached process, so that a long push completes after the program stops waiting. */
function continueDetached(
  words: string[],
  { session_id, transcript_path, cwd }: Said,
  env: Environment,
): void {
  const event = JSON.stringify({ session_id, transcript_path, cwd });
  spawn(process.execPath, [process.argv[1]!, 'hook', ...words], {
    env: { ...env, [LATE_EVENT]: event },
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
}

interface Steps {
  /** Passes on the event, so that a detached process can continue with it. */
  begin(said: Said): void;
  locate(place: HookPlace): void;
}

async function answer(
  words: string[],
  env: Environment,
  signal: AbortSignal,
  { begin, locate }: Steps,
): Promise<string | undefined> {
  const hook = hookOf(words);
  if (!hook) return undefined;
  const name = nameOf(words);
  const given = words[words.indexOf('--program') + 1];
  const program: Program = words.includes('--program') && isProgram(given) ? given : 'claude';
  const said = await readEvent(env);
  begin(said);
  const folder = said.cwd ?? process.cwd();
  const checkout = findCheckout(folder);
  if (!checkout) return undefined;
  locate({ hook: name, program, checkout });
  const wanted = { env, config: readConfig(env), checkoutUrl: checkout.settings.url };
  const access = chooseAgentAccess(wanted, { checkout, program });
  const service = openService(access, env);
  const context: HookContext = {
    said,
    program,
    folder,
    checkout,
    // Marks the service as used: only a hook that used it can clear a recorded failure.
    get service() {
      locate({ hook: name, program, checkout, asked: true });
      return service;
    },
    env,
    signal,
    agentId: () => resolveAgent(checkout, program, context.service, signal),
  };
  const text = await hook.run(context);
  return text && shorten(cleanText(text), hook.name);
}

const write = (hookEventName: string, additionalContext: string): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });

/** Cuts the text at a line end and says so. The limit includes the JSON around it. */
function shorten(text: string, name: string): string {
  const whole = write(name, text);
  if (whole.length <= MOST_CHARACTERS) return whole;
  const note = '\n\n(There is more; ask Guildhall for it.)';
  const fits = (length: number) =>
    write(name, text.slice(0, length).toWellFormed() + note).length <= MOST_CHARACTERS;
  let [most, tooMuch] = [0, MOST_CHARACTERS];
  while (tooMuch - most > 1) {
    const middle = Math.floor((most + tooMuch) / 2);
    if (fits(middle)) most = middle;
    else tooMuch = middle;
  }
  const room = text.slice(0, most);
  const end = room.lastIndexOf('\n');
  return write(name, `${(end > room.length / 2 ? room.slice(0, end) : room).toWellFormed()}${note}`);
}
