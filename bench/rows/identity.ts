import { createHash } from 'node:crypto';
import type { BenchRow, BenchWorld, FloorStatement } from '../row.js';

/** Resolves a token in one statement. Every row with a token starts with it. */
export function checkToken(world: BenchWorld): FloorStatement {
  return {
    text: `
      select t.token_id, t.scopes, t.expires_at, t.last_used_at, t.user_id, t.brand_id,
             m.role, b.scope_ceiling, u.full_name, u.email, u.kind
      from tokens t
      join memberships m on m.brand_id = t.brand_id and m.user_id = t.user_id and m.active
      join brands b on b.brand_id = t.brand_id
      join users u on u.user_id = t.user_id
      where t.token_hash = $1 and t.revoked_at is null`,
    values: [createHash('sha256').update(world.token).digest('hex')],
  };
}

export const rows: BenchRow[] = [
  {
    name: 'token-check',
    kind: 'read',
    request: (world) => ({ path: '/api/v1/me/token', headers: world.bearer }),
    floor: (world) => ({ statements: [checkToken(world)] }),
  },
];
