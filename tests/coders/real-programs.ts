import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_PROGRAMS, findAgentProgram } from '../support/agent-programs.js';

type Program = keyof typeof AGENT_PROGRAMS;

export type Ability = 'tool' | 'limit' | 'usage';

export interface RealCoder {
  name: string;
  program: Program;
  /** The npm package, whose version is in the test names. */
  package: string;
  /** Needs the newer Node that `.ci/run` installs. */
  newerNode?: true;
  /** Set for a coder that is described in a file: the arguments after its program. */
  acp?: string[];
  /** Variables that direct the program to the model; `agents` is the folder of the programs. */
  environment(model: string, agents: string): Record<string, string>;
  /** Shell commands that prepare the program's home folder. */
  prepare?(model: string): string;
  settings?: { model: string };
  /** The profile limit that the coder enforces. */
  guard?: 'max_turns' | 'max_steps';
  /** Set when the coder reports only its cost or only its tokens. */
  tells?: 'cost' | 'tokens';
  /** Abilities that the coder lacks, with the reason for skipping their tests. */
  cannot?: Partial<Record<Ability, string>>;
}

const anthropic = (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'stub-key-of-a-model' });

export const REAL_CODERS: RealCoder[] = [
  {
    name: 'claude',
    program: 'claude',
    package: `@anthropic-ai/claude-code-${process.platform}-${process.arch}`,
    // The stub calls tools without searching for them first.
    environment: (url) => ({ ...anthropic(url), ENABLE_TOOL_SEARCH: 'false' }),
    guard: 'max_turns',
  },
  {
    name: 'codex',
    program: 'codex',
    package: '@openai/codex',
    environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: 'stub-key-of-a-model' }),
    // Codex offers its basic set of tools to a model that it does not know.
    settings: { model: 'stub' },
    tells: 'tokens',
    cannot: { limit: 'it has no limit of turns' },
  },
  {
    name: 'opencode',
    program: 'opencode',
    package: `opencode-${process.platform}-${process.arch}`,
    environment: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'stub-key-of-a-model' } } },
      }),
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    settings: { model: 'anthropic/claude-sonnet-4-5' },
    guard: 'max_steps',
    tells: 'cost',
  },
  {
    name: 'pi',
    program: 'pi',
    package: '@earendil-works/pi-coding-agent',
    environment: anthropic,
    prepare: (url) =>
      `mkdir -p ~/.pi/agent && echo '${JSON.stringify({ providers: { anthropic: { baseUrl: url } } })}' > ~/.pi/agent/models.json`,
    settings: { model: 'anthropic/claude-sonnet-4-5' },
    guard: 'max_steps',
  },
  {
    name: 'claude-agent-acp',
    program: 'claudeAgentAcp',
    package: '@agentclientprotocol/claude-agent-acp',
    acp: [],
    environment: (url, agents) => ({
      ...anthropic(url),
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_EXECUTABLE: `${agents}/node_modules/${AGENT_PROGRAMS.claude}`,
    }),
    cannot: { limit: 'the protocol has no limit of turns' },
  },
  {
    name: 'codex-acp',
    program: 'codexAcp',
    package: '@agentclientprotocol/codex-acp',
    acp: [],
    // In other modes, a second model approves each call.
    environment: () => ({ CODEX_API_KEY: 'stub-key-of-a-model', INITIAL_AGENT_MODE: 'agent-full-access' }),
    tells: 'tokens',
    prepare: (url) =>
      `mkdir -p ~/.codex && printf 'model = "stub"\\nopenai_base_url = "${url}/v1"\\n' > ~/.codex/config.toml`,
    cannot: { limit: 'the protocol has no limit of turns' },
  },
  {
    name: 'gemini-cli',
    program: 'gemini',
    package: '@google/gemini-cli',
    acp: ['--acp', '--model', 'gemini-2.5-pro'],
    environment: (url) => ({
      GEMINI_API_KEY: 'stub-key-of-a-model',
      GOOGLE_GEMINI_BASE_URL: url,
      // Gemini CLI offers no MCP tools in an untrusted folder.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    cannot: { limit: 'the protocol has no limit of turns', usage: 'it tells no cost' },
  },
  {
    name: 'qwen-code',
    program: 'qwen',
    package: '@qwen-code/qwen-code',
    newerNode: true,
    acp: ['--acp'],
    environment: (url) => ({
      OPENAI_API_KEY: 'stub-key-of-a-model',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'stub',
      // Without this, the first turn does not wait for the MCP tools.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
    }),
    prepare: () =>
      `mkdir -p ~/.qwen && echo '{"tools":{"toolSearch":{"enabled":false}}}' > ~/.qwen/settings.json`,
    cannot: { limit: 'the protocol has no limit of turns', usage: 'it tells no cost' },
  },
];

/** Links the programs outside of the home folder, which the user of a build cannot read. */
export function placePrograms(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-programs-'));
  chmodSync(folder, 0o755);
  const kept = REAL_CODERS.map(({ program }) => findAgentProgram(program)).find(Boolean);
  if (kept) execFileSync('cp', ['-a', '--link', modulesOf(kept), join(folder, 'node_modules')]);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function versionOf(coder: RealCoder): string | undefined {
  const file = findAgentProgram(coder.program);
  if (!file) return undefined;
  const manifest = readFileSync(join(modulesOf(file), coder.package, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

const modulesOf = (file: string): string =>
  file.slice(0, file.lastIndexOf('/node_modules/') + '/node_modules'.length);

/** The command that starts a coder's program. */
export function commandOf(coder: RealCoder, folder: string): string[] {
  const file = join(folder, 'node_modules', AGENT_PROGRAMS[coder.program]);
  if (!file.endsWith('.js')) return [file];
  const node = coder.newerNode ? join(folder, 'node_modules', AGENT_PROGRAMS.newerNode) : process.execPath;
  return [node, file];
}
