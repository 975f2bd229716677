import { chooseAgentAccess } from '../agent-tokens.js';
import { wantedBy } from '../call.js';
import type { Command } from '../command.js';
import { chooseAccess } from '../config.js';
import { misuse, signedOut } from '../failure.js';
import { isProgram } from '../hooks/event.js';
import { serveStdio } from '../mcp/stdio.js';

export const mcp: Command = {
  use: 'mcp',
  about: "Serve Guildhall's MCP tools over stdio.",
  examples: ['guildhall mcp', 'guildhall mcp --toolsets boards,memory --read-only'],
  options: [
    [
      '--toolsets <names>',
      'Only these toolsets, separated by commas: boards, memory, lessons, builds, profiles, workspace',
    ],
    ['--read-only', 'Only tools that change nothing'],
    ['--url <address>', 'The server address, which you must be signed in to; GUILDHALL_URL overrides it'],
    [
      '--program <program>',
      'Use the token that connect created in this repository for this program: claude or codex',
    ],
  ],
  plain: true,
  async run(call) {
    // `--url` comes from files in the repository, so it is trusted no more than guildhall.json.
    const named = call.options.text('url');
    const wanted = { ...wantedBy(call), ...(named !== undefined && { checkoutUrl: named }) };
    const program = call.options.text('program');
    if (program !== undefined && !isProgram(program))
      throw misuse(`Unsupported program: ${program}`, 'Use one of: claude, codex');
    const checkout = call.checkout();
    const { url, token } =
      program && checkout ? chooseAgentAccess(wanted, { checkout, program }) : chooseAccess(wanted);
    if (!token)
      throw signedOut(
        'MCP tools need a personal access token',
        `In a repository, guildhall connect ${program ?? 'claude'} creates one. Elsewhere, sign in with: guildhall login --token -`,
      );
    const toolsets = call.options.text('toolsets');
    const headers = {
      ...(toolsets !== undefined && { 'x-mcp-toolsets': toolsets }),
      ...(call.options.flag('readOnly') && { 'x-mcp-readonly': '1' }),
    };
    await serveStdio({
      url: `${url}/mcp`,
      token,
      headers,
      input: process.stdin,
      signal: call.signal,
      write: (line) => process.stdout.write(line),
    });
  },
};
