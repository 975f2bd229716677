import { join } from 'node:path';
import { readIfThere } from './desk-files.js';
import type { CredentialState } from './protocol.js';

type Judgement = 'ok' | 'expired' | undefined;

interface LoginRule {
  file: string;
  judge(file: Record<string, unknown>, now: Date): Judgement;
  /** Environment variables that replace a login. */
  keys: readonly string[];
}

const RULES: Record<string, LoginRule> = {
  claude_code: {
    file: '.claude/.credentials.json',
    judge: judgeClaude,
    keys: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
  },
  codex: { file: '.codex/auth.json', judge: judgeCodex, keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'] },
};

/**
 * Lists the logins of the runtimes on this desk and leaves out runtimes without one. A login that its
 * provider refused counts as expired.
 */
export const readCredentials = (home: string, now: Date, isRefused: IsRefused): CredentialState[] =>
  Object.keys(RULES).flatMap((runtime) => {
    const state = judgeFile(runtime, home, now, isRefused);
    return state ? [{ runtime, state, checked_at: now.toISOString() }] : [];
  });

type IsRefused = (runtime: string, content: string) => boolean;

function judgeFile(runtime: string, home: string, now: Date, isRefused: IsRefused): Judgement {
  const { file, judge } = RULES[runtime]!;
  const content = readIfThere(join(home, file));
  if (content === undefined) return undefined;
  return isRefused(runtime, content) ? 'expired' : judge(parseLogin(content), now);
}

/** Whether a runtime's program can authenticate, by its login or by a key in its environment. */
export function judgeLogin(
  runtime: string,
  home: string,
  environment: Readonly<Record<string, string>>,
  now: Date,
): 'ok' | 'expired' | 'missing' {
  const rule = RULES[runtime];
  if (!rule || rule.keys.some((name) => environment[name])) return 'ok';
  // A refused login is tried again, because a build may succeed with it.
  return judgeFile(runtime, home, now, () => false) ?? 'missing';
}

function parseLogin(content: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An expired access token is fine while a refresh token can renew it. */
function judgeClaude(file: Record<string, unknown>, now: Date): Judgement {
  const login = file['claudeAiOauth'];
  if (!isRecord(login)) return 'expired';
  const refreshExpiry = login['refreshTokenExpiresAt'];
  if (typeof refreshExpiry === 'number' && refreshExpiry <= now.getTime()) return 'expired';
  if (typeof login['refreshToken'] === 'string' && login['refreshToken'] !== '') return 'ok';
  return typeof login['expiresAt'] === 'number' && login['expiresAt'] > now.getTime() ? 'ok' : 'expired';
}

function judgeCodex(file: Record<string, unknown>, now: Date): Judgement {
  if (typeof file['OPENAI_API_KEY'] === 'string' && file['OPENAI_API_KEY'] !== '') return 'ok';
  const tokens = file['tokens'];
  if (!isRecord(tokens)) return 'expired';
  if (typeof tokens['refresh_token'] === 'string' && tokens['refresh_token'] !== '') return 'ok';
  const expiry = tokenExpiry(tokens['access_token']);
  return expiry !== undefined && expiry > now.getTime() ? 'ok' : 'expired';
}

function tokenExpiry(token: unknown): number | undefined {
  const payload = typeof token === 'string' ? token.split('.')[1] : undefined;
  if (!payload) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isRecord(claims) && typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : undefined;
  } catch {
    return undefined;
  }
}
