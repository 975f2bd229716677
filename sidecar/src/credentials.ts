import { join } from 'node:path';
import { readIfThere } from './desk-files.js';
import type { CredentialState } from './protocol.js';

type Judgement = 'ok' | 'expired' | undefined;

/** The logins of the coding runtimes on this desk; a runtime nobody ever logged in to is left out. */
export function readCredentials(home: string, now: Date): CredentialState[] {
  const judged: [string, Judgement][] = [
    ['claude_code', judgeClaude(readJson(join(home, '.claude/.credentials.json')), now)],
    ['codex', judgeCodex(readJson(join(home, '.codex/auth.json')), now)],
  ];
  return judged.flatMap(([runtime, state]) =>
    state ? [{ runtime, state, checked_at: now.toISOString() }] : [],
  );
}

function readJson(path: string): Record<string, unknown> | undefined {
  const content = readIfThere(path);
  if (content === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An access token that ran out is fine as long as a refresh token is there to renew it. */
function judgeClaude(file: Record<string, unknown> | undefined, now: Date): Judgement {
  if (!file) return undefined;
  const login = file['claudeAiOauth'];
  if (!isRecord(login)) return 'expired';
  const refreshExpiry = login['refreshTokenExpiresAt'];
  if (typeof refreshExpiry === 'number' && refreshExpiry <= now.getTime()) return 'expired';
  if (typeof login['refreshToken'] === 'string' && login['refreshToken'] !== '') return 'ok';
  return typeof login['expiresAt'] === 'number' && login['expiresAt'] > now.getTime() ? 'ok' : 'expired';
}

function judgeCodex(file: Record<string, unknown> | undefined, now: Date): Judgement {
  if (!file) return undefined;
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
