import type { Profile } from '../api/coder-profiles.js';
import { countOf } from '../ui/display.js';

const NAMES: Record<string, string> = {
  claude_code: 'Claude Code',
  codex: 'Codex',
  openhands: 'OpenHands',
  opencode: 'OpenCode',
  pi: 'Pi',
};

export const nameOfCoder = (coder: string): string => NAMES[coder] ?? coder;

export const tierOf = ({ key }: Profile): string => key.slice(key.indexOf('.') + 1);

export function limitOf({ limits }: Profile): string | null {
  if (limits.max_turns !== null) return countOf(limits.max_turns, 'turn');
  return limits.max_steps === null ? null : countOf(limits.max_steps, 'step');
}
