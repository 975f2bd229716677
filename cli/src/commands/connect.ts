import { AGENT_SCOPES } from '../agent-tokens.js';
import { wantedBy } from '../call.js';
import type { Checkout } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { chooseAccess, chooseUrl, configPath, isStranger } from '../config.js';
import { adviseReading } from '../connect/agents-md.js';
import type { Place } from '../connect/edit.js';
import { HOW_TO_INSTALL, isInstalled } from '../connect/installed.js';
import { type Acting, ensureOwnToken, releaseOwnToken } from '../connect/own-token.js';
import { disconnect, connect as wire } from '../connect/wiring.js';
import { explain, misuse, signedOut } from '../failure.js';
import { resolveAgent } from '../hooks/agent.js';
import { isProgram, type Program } from '../hooks/event.js';
import { findProject } from '../projects.js';
import { confirmStranger } from '../prompt.js';

export const connect: Command = {
  use: 'connect <program>',
  about:
    'Connect Claude Code (claude) or Codex (codex) to the repository that you are in: the MCP server, hooks that recall memories, show lessons and keep conversations, and a line in AGENTS.md. If you are signed in with --email, the agent gets a token of its own, which is kept on this machine and not in the repository. Nothing else is touched; running it twice changes nothing.',
  examples: ['guildhall connect claude', 'guildhall connect codex', 'guildhall connect claude --undo'],
  options: [
    [
      '--undo',
      'Take it out again: unchanged files get their old bytes back, and the token of the agent ends',
    ],
    ['--yes', 'Skip confirmations, except for an address that only guildhall.json names'],
  ],
  async run(call) {
    const [program] = call.args;
    if (!isProgram(program)) throw misuse(`${program} cannot be connected`, 'There are: claude, codex');
    const checkout = call.checkout();
    if (!checkout) throw misuse('Not in a git repository', 'Go to the repository that you want to connect.');
    const columns = [
      { title: 'file', of: (each: { path: string }) => each.path },
      { title: '', of: (each: { change: string }) => each.change },
    ];
    if (call.options.flag('undo')) {
      call.out.list(disconnect(checkout, program), columns);
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)]);
      for (const note of await releaseOwnToken(call, { checkout, program }, signal)) call.out.note(note);
      return;
    }
    const wanted = wantedBy(call);
    const url = chooseUrl(wanted);
    if (!url)
      throw signedOut(
        'Where is your Guildhall?',
        'Sign in with: guildhall login --url <address>, or set GUILDHALL_URL.',
      );
    if (isStranger(wanted))
      await confirmStranger(
        url,
        'Wire this repository to it?',
        `If you trust it, sign in first with: guildhall login --url ${url}`,
      );
    const way = chooseWay(call);
    call.out.list(wire(checkout, program, { url, way }), columns);
    const { sentences, acting } = await describeAgent(call, checkout, program);
    const reading = program === 'claude' ? adviseReading(checkout) : undefined;
    for (const note of [...sentences, describeWay(way, acting, call), reading, HOW_TO_APPROVE[program]])
      if (note !== undefined) call.out.note(note);
    if (!isInstalled(call.env))
      call.out.note(
        `The hooks do nothing yet: they call guildhall, which is not on your PATH. ${HOW_TO_INSTALL}`,
      );
  },
};

const NAMES: Record<Program, string> = { claude: 'Claude Code', codex: 'Codex' };

const HOW_TO_APPROVE: Record<Program, string> = {
  claude:
    'Claude Code asks at its next start whether to use the MCP server guildhall of .mcp.json: say yes, or approve it later with /mcp.',
  codex: 'Codex uses the MCP server in a folder that it trusts; trust the hooks once with /hooks.',
};

/**
 * With an exported token the files read GUILDHALL_TOKEN, otherwise the bridge uses this machine's sign-in.
 */
function chooseWay(call: Call): Place['way'] {
  const wanted = wantedBy(call);
  if (isStranger(wanted)) return 'bridge';
  try {
    return chooseAccess(wanted).context === undefined ? 'token' : 'bridge';
  } catch {
    return 'token';
  }
}

const describeWay = (way: Place['way'], acting: Acting | undefined, call: Call): string => {
  if (way === 'token') return 'It reads its token from GUILDHALL_TOKEN.';
  return acting?.token === 'own'
    ? `It speaks through \`guildhall mcp\`, with a token that is kept in ${configPath(call.env)} and not in the repository.`
    : 'It speaks through `guildhall mcp`, with the sign-in that is kept on this machine; no token is exported.';
};

const scopeWords = AGENT_SCOPES.map((scope) => `--scope ${scope}`).join(' ');

/** Explains how the agent gets a token of its own, or returns nothing if it already has one. */
function adviseOwnToken(program: Program, agent: string, { token, agentId }: Acting): string | undefined {
  if (agentId === agent) return undefined;
  const another = `run guildhall connect ${program} again`;
  if (token === 'environment' && agentId !== null)
    return `GUILDHALL_TOKEN belongs to the agent ${agentId}. Unset it here, then ${another}.`;
  if (token === 'environment')
    return `Its writes show the token owner's name. Create a token for the agent with: guildhall tokens create ${agent} --agent ${agent} ${scopeWords} --to <file>`;
  if (token === 'sign-in')
    return `Its writes show the token owner's name. For a token of its own, sign in with guildhall login --email you@example.com, then ${another}.`;
  return `There is no agent ${agent} yet, so it writes in your name. After its first memory, ${another}.`;
}

/** How long to wait for a slow server to name the agent. The hooks ask again when they run. */
const PATIENCE_MS = 5000;

interface Description {
  sentences: string[];
  acting?: Acting;
}

async function describeAgent(call: Call, checkout: Checkout, program: Program): Promise<Description> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const service = call.service();
    const agent = await resolveAgent(checkout, program, service, signal);
    const project = await findProject(checkout, service.client, signal);
    const where = project === undefined ? 'no project has this repository yet' : `project_id ${project}`;
    const acting = await ensureOwnToken(call, { checkout, program }, agent);
    const advice = adviseOwnToken(program, agent, acting);
    const sentence = `${NAMES[program]} works here as the agent ${agent} (${where}).`;
    return { sentences: [advice ? `${sentence} ${advice}` : sentence], acting };
  } catch (error) {
    call.signal.throwIfAborted();
    const named = checkout.settings.agent_id;
    const who = named ? `the agent ${named}` : 'the agent that the service has for this repository';
    const { message, hint } = explain(error);
    const why = [message, hint].flatMap((each) => (each ? [each.replace(/\.$/, '')] : [])).join('. ');
    return {
      sentences: [
        `${NAMES[program]} will work here as ${who}, which is not set up yet: ${why}.`,
        `After that, run guildhall connect ${program} again.`,
      ],
    };
  }
}
