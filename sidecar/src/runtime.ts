import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PACKAGES: Record<string, { name: string; command: string }> = {
  claude_code: { name: '@anthropic-ai/claude-code', command: 'claude' },
  codex: { name: '@openai/codex', command: 'codex' },
};

/** What the installer could not fetch (no way to the registry just then) is fetched later. Answers whether it is there now. */
export async function installMissingRuntime(runtime: string, prefix: string): Promise<boolean> {
  const wanted = PACKAGES[runtime];
  if (!wanted || isInstalled(wanted.command, prefix)) return true;
  const args = [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--cache',
    join(prefix, '.npm'),
    '--no-audit',
    '--no-fund',
    '--fetch-retries=1',
    wanted.name,
  ];
  const child = spawn('npm', args, { stdio: 'ignore', timeout: 10 * 60_000 });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

function isInstalled(command: string, prefix: string): boolean {
  const folders = [join(prefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, command)));
}
