import { wantedBy } from '../call.js';
import type { Checkout } from '../checkout.js';
import type { Call, Command } from '../command.js';
import { chooseAccess, chooseUrl, isStranger } from '../config.js';
import type { Place } from '../connect/edit.js';
import { isInstalled } from '../connect/installed.js';
import { disconnect, connect as wire } from '../connect/wiring.js';
import { explain, misuse, signedOut } from '../failure.js';
import { resolveAgent } from '../hooks/agent.js';
import { isProgram, type Program } from '../hooks/event.js';
import { findProject } from '../projects.js';
import { confirmStranger } from '../prompt.js';

export const connect: Command = {
  use: 'connect <program>',
  about:
    'Wire Claude Code (claude) or Codex (codex) to the repository you stand in: the MCP server, hooks that recall memories, tell lessons and keep conversations, and a line in AGENTS.md, for Claude Code in CLAUDE.md too. Nothing else is touched; twice changes nothing.',
  examples: ['guildhall connect claude', 'guildhall connect codex', 'guildhall connect claude --undo'],
  options: [
    ['--undo', 'Take it out again: files that are as we left them get their old bytes back'],
    ['--yes', 'Ask nothing; an address that only guildhall.json names is asked for all the same'],
  ],
  async run(call) {
    const [program] = call.args;
    if (!isProgram(program)) throw misuse(`${program} cannot be connected`, 'There are: claude, codex');
    const checkout = call.checkout();
    if (!checkout)
      throw misuse('This is no git repository', 'Go to the repository that you want to connect.');
    const columns = [
      { title: 'file', of: (each: { path: string }) => each.path },
      { title: '', of: (each: { change: string }) => each.change },
    ];
    if (call.options.flag('undo')) return call.out.list(disconnect(checkout, program), columns);
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
    for (const note of [
      await describeAgent(call, checkout, program),
      way === 'token'
        ? 'It reads its token from GUILDHALL_TOKEN.'
        : 'It speaks through `guildhall mcp`, with the sign-in that is kept on this machine; no token is exported.',
      HOW_TO_APPROVE[program],
    ])
      call.out.note(note);
    if (!isInstalled(call.env))
      call.out.note(
        'The hooks do nothing yet: they call guildhall, which is not on your PATH. Install the package guildhall-cli with npm install -g.',
      );
  },
};

const NAMES: Record<Program, string> = { claude: 'Claude Code', codex: 'Codex' };

const HOW_TO_APPROVE: Record<Program, string> = {
  claude:
    'Claude Code asks at its next start whether to use the MCP server guildhall of .mcp.json: say yes, or approve it later with /mcp.',
  codex: 'Codex uses the MCP server in a folder that it trusts; trust the hooks once with /hooks.',
};

/** An exported token is what others of the repository have too; who only has the stored sign-in gets the bridge to it. */
function chooseWay(call: Call): Place['way'] {
  const wanted = wantedBy(call);
  if (isStranger(wanted)) return 'bridge';
  if (call.env['GUILDHALL_TOKEN'] && call.options.text('context') === undefined) return 'token';
  try {
    return chooseAccess(wanted).token === undefined ? 'token' : 'bridge';
  } catch {
    return 'token';
  }
}

const adviseOwnToken = (agent: string): string =>
  `What it writes shows under the name of whose token it has; give it one of its own with: guildhall tokens create ${agent} --agent ${agent} --scope memory:read --scope memory:write --scope code:read --to <file>`;

/** So long a server that is slow is waited for; the hooks ask again themselves. */
const PATIENCE_MS = 5000;

async function describeAgent(call: Call, checkout: Checkout, program: Program): Promise<string> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const service = call.service();
    const agent = await resolveAgent(checkout, program, service, signal);
    const project = await findProject(checkout, service.client, signal);
    const { agent: acting } = await service.client.getMe({}, { signal });
    const where = project === undefined ? 'no project has this repository yet' : `project_id ${project}`;
    const own = acting?.agent_id === agent ? '' : ` ${adviseOwnToken(agent)}`;
    return `${NAMES[program]} works here as the agent ${agent} (${where}).${own}`;
  } catch (error) {
    call.signal.throwIfAborted();
    const named = checkout.settings.agent_id;
    const who = named ? `the agent ${named}` : 'the agent that the service has for this repository';
    return `${NAMES[program]} will work here as ${who}. The service was not asked: ${explain(error).message}. See what is missing with: guildhall doctor`;
  }
}
