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
    'Connect Claude Code (claude) or Codex (codex) to the current repository. Adds the MCP server, hooks that recall memories, show lessons and store conversations, and a line in AGENTS.md. If you signed in with --email, the agent gets its own token, which is stored on this machine and not in the repository. Running the command again is safe.',
  examples: ['guildhall connect claude', 'guildhall connect codex', 'guildhall connect claude --undo'],
  options: [
    ['--undo', 'Disconnect: remove the added entries and revoke the token of the agent'],
    ['--yes', 'Skip confirmations, except for a server address that only guildhall.json names'],
  ],
  async run(call) {
    const [program] = call.args;
    if (!isProgram(program)) throw misuse(`Unsupported program: ${program}`, 'Use one of: claude, codex');
    const checkout = call.checkout();
    if (!checkout)
      throw misuse('Not in a git repository', 'Run this command in the repository that you want to connect.');
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
        'No server address',
        'Sign in with: guildhall login --url <address>, or set GUILDHALL_URL.',
      );
    if (isStranger(wanted))
      await confirmStranger(
        url,
        'Connect this repository to it?',
        `If you trust this server, sign in first with: guildhall login --url ${url}`,
      );
    const way = chooseWay(call);
    call.out.list(wire(checkout, program, { url, way }), columns);
    const { sentences, acting } = await describeAgent(call, checkout, program);
    const reading = program === 'claude' ? adviseReading(checkout) : undefined;
    for (const note of [...sentences, describeWay(way, acting, call), reading, HOW_TO_APPROVE[program]])
      if (note !== undefined) call.out.note(note);
    if (!isInstalled(call.env))
      call.out.note(`The hooks do not work yet, because guildhall is not on your PATH. ${HOW_TO_INSTALL}`);
  },
};

const NAMES: Record<Program, string> = { claude: 'Claude Code', codex: 'Codex' };

const HOW_TO_APPROVE: Record<Program, string> = {
  claude:
    'When Claude Code next starts, it asks whether to use the MCP server guildhall from .mcp.json. Approve it then, or later with /mcp.',
  codex: 'Codex uses the MCP server in trusted folders only. Trust the hooks once with /hooks.',
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
  if (way === 'token') return 'The connection reads its token from GUILDHALL_TOKEN.';
  return acting?.token === 'own'
    ? `The connection runs \`guildhall mcp\` with a token that is stored in ${configPath(call.env)} and not in the repository.`
    : 'The connection runs `guildhall mcp` with the sign-in of this machine. You do not need to export a token.';
};

const scopeWords = AGENT_SCOPES.map((scope) => `--scope ${scope}`).join(' ');

/** Explains how the agent gets a token of its own, or returns nothing if it already has one. */
function adviseOwnToken(program: Program, agent: string, { token, agentId }: Acting): string | undefined {
  if (agentId === agent) return undefined;
  const another = `run guildhall connect ${program} again`;
  if (token === 'environment' && agentId !== null)
    return `GUILDHALL_TOKEN belongs to the agent ${agentId}. Unset it here, then ${another}.`;
  if (token === 'environment')
    return `Its changes show the name of the token owner. Create a token for the agent with: guildhall tokens create ${agent} --agent ${agent} ${scopeWords} --to <file>`;
  if (token === 'sign-in')
    return `Its changes show the name of the token owner. To give it its own token, sign in with guildhall login --email you@example.com, then ${another}.`;
  return `The agent ${agent} does not exist yet, so its changes show your name. After its first memory, ${another}.`;
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
    const where = project === undefined ? 'no project uses this repository yet' : `project_id ${project}`;
    const acting = await ensureOwnToken(call, { checkout, program }, agent);
    const advice = adviseOwnToken(program, agent, acting);
    const sentence = `${NAMES[program]} works here as the agent ${agent} (${where}).`;
    return { sentences: [advice ? `${sentence} ${advice}` : sentence], acting };
  } catch (error) {
    call.signal.throwIfAborted();
    const named = checkout.settings.agent_id;
    const who = named ? `the agent ${named}` : 'the agent of this repository';
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
