import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Where `.ci/run` installs third-party agents and clients: outside of the checkout, so we never ship them.
 */
const FOLDER = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'guildhall-ci', 'agents');
const PLATFORM = `${process.platform}-${process.arch}`;

export const AGENT_PROGRAMS = {
  claude: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
  codex: '@openai/codex/bin/codex.js',
  opencode: `opencode-${PLATFORM}/bin/opencode`,
  pi: '@earendil-works/pi-coding-agent/dist/cli.js',
  claudeAgentAcp: '@agentclientprotocol/claude-agent-acp/dist/index.js',
  codexAcp: '@agentclientprotocol/codex-acp/dist/index.js',
  gemini: '@google/gemini-cli/bundle/gemini.js',
  qwen: '@qwen-code/qwen-code/cli-entry.js',
  conformance: '@modelcontextprotocol/conformance/dist/index.js',
  newerNode: `node-${PLATFORM}/bin/node`,
} as const;

/** Returns the installed file, or undefined if `.ci/run` could not install it. */
export function findAgentProgram(name: keyof typeof AGENT_PROGRAMS): string | undefined {
  const file = join(FOLDER, 'node_modules', AGENT_PROGRAMS[name]);
  return existsSync(file) ? file : undefined;
}

export interface Run {
  code: number | null;
  output: string;
  timedOut: boolean;
}

/** Runs a program with only PATH from this environment, and kills it with its children after the timeout. */
export function runWithin(
  milliseconds: number,
  [file, ...args]: [string, ...string[]],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    }, milliseconds);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code, output, timedOut });
    });
  });
}
