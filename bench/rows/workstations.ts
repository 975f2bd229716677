import { createHash, randomUUID } from 'node:crypto';
import type { BenchRow, BenchWorld, FloorStatement } from '../row.js';

const DESKS = 20;

/** Workstation routes accept only a session, so a member signs in and orders desks. */
async function orderDesks(world: BenchWorld): Promise<Record<string, unknown>> {
  const account = { email: `desks-${randomUUID()}@example.com`, password: 'bench password' };
  const person = await world.operator('POST', '/users', { ...account, full_name: 'Desk Owner' });
  await world.operator('PUT', `/brands/${world.brandId}/members/${person['user_id']}`, { role: 'member' });
  const json = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${world.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(account),
  });
  const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0]!;
  let deskId = '';
  for (let count = 0; count < DESKS; count++) {
    const order = JSON.stringify({ name: `Desk ${count}` });
    const ordered = await fetch(`${world.url}/api/v1/workstations`, {
      method: 'POST',
      headers: { ...json, cookie },
      body: order,
    });
    // For the second row, the plan's limit is reached and the first row's desks are used.
    if (ordered.status === 201)
      deskId = String(((await ordered.json()) as Record<string, unknown>)['workstation_id']);
  }
  const list = await fetch(`${world.url}/api/v1/workstations`, { headers: { cookie } });
  const { workstations } = (await list.json()) as { workstations: { workstation_id: string }[] };
  return { cookie, deskId: deskId || workstations[0]!.workstation_id };
}

function checkSession(made: Record<string, unknown>): FloorStatement {
  const secret = String(made['cookie']).split('=').slice(1).join('=');
  return {
    text: `
      select s.session_id, s.expires_at, s.user_id, s.brand_id, m.role, b.plan, u.full_name, u.email, u.kind
      from sessions s
      join memberships m on m.brand_id = s.brand_id and m.user_id = s.user_id and m.active
      join brands b on b.brand_id = s.brand_id
      join users u on u.user_id = s.user_id
      where s.secret_hash = $1`,
    values: [createHash('sha256').update(secret).digest('hex')],
  };
}

const columns = `
  desk_id, name, runtime, status, hello_at, installer_exit_code, installer_message, mesh_registered_at, sidecar_url,
  first_answered_at, misrouted, misses, last_contact_at, created_at`;

export const rows: BenchRow[] = [
  {
    name: 'workstation',
    kind: 'read',
    setup: orderDesks,
    request: (_world, made) => ({
      path: `/api/v1/workstations/${made['deskId']}`,
      headers: { cookie: String(made['cookie']) },
    }),
    floor: (world, made) => ({
      statements: [
        checkSession(made),
        {
          text: `select ${columns} from desks where brand_id = $1 and desk_id = $2`,
          values: [world.brandId, made['deskId']],
        },
      ],
    }),
  },
  {
    name: 'workstations',
    kind: 'read',
    setup: orderDesks,
    request: (_world, made) => ({
      path: '/api/v1/workstations',
      headers: { cookie: String(made['cookie']) },
    }),
    floor: (world, made) => ({
      statements: [
        checkSession(made),
        {
          text: `select ${columns} from desks where brand_id = $1 order by created_at, desk_id`,
          values: [world.brandId],
        },
      ],
    }),
  },
];
