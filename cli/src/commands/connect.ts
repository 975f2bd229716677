import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { wantedBy } from '../call.js';
import type { Call, Command } from '../command.js';
import { chooseUrl } from '../config.js';
import { disconnect, connect as wire } from '../connect/wiring.js';
import { misuse, signedOut } from '../failure.js';
import { agentOf } from '../hooks/agent.js';
import { isProgram } from '../hooks/event.js';

export const connect: Command = {
  use: 'connect <program>',
  about:
    'Wire Claude Code (claude) or Codex (codex) to the repository you stand in: the MCP server, hooks that recall memories, tell lessons and keep conversations, and a line in AGENTS.md. Nothing else is touched; twice changes nothing.',
  examples: ['guildhall connect claude', 'guildhall connect codex', 'guildhall connect claude --undo'],
  options: [['--undo', 'Take it out again: files that are as we left them get their old bytes back']],
  run(call) {
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
    const url = chooseUrl(wantedBy(call));
    if (!url)
      throw signedOut(
        'Where is your Guildhall?',
        'Sign in with: guildhall login --url <address>, or set GUILDHALL_URL.',
      );
    call.out.list(wire(checkout, program, { url }), columns);
    call.out.note(
      `${program === 'claude' ? 'Claude Code' : 'Codex'} works here as the agent ${agentOf(checkout, program)} and reads its token from GUILDHALL_TOKEN.${
        program === 'codex' ? ' Trust the hooks once with /hooks in Codex.' : ''
      }`,
    );
    if (!isInstalled(call.env))
      call.out.note(
        'The hooks do nothing yet: they call guildhall, which is not on your PATH. Install the package guildhall-cli with npm install -g.',
      );
  },
};

/** Whether programs that are started later find it; what npx adds to the path is there for this one call only. */
const isInstalled = (env: Call['env']): boolean =>
  (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
    .some((folder) => ['guildhall', 'guildhall.cmd'].some((name) => existsSync(join(folder, name))));
