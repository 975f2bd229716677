import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from './support/app.js';
import { type ForgeWorkspace, type ForgeWorld, startForgeWorld } from './support/forge-world.js';
import { callWhileLocked, type Statement } from './support/interleaving.js';

let world: ForgeWorld;
beforeAll(async () => {
  world = await startForgeWorld();
});
afterAll(() => world.stop());

interface Given {
  room: ForgeWorkspace;
  brandId: number;
  member: TestPerson;
  make(path: string, body: object): Promise<Record<string, string>>;
}

type Ask = [method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object];
type Request = (given: Given) => Ask | Promise<Ask>;

const WEBHOOK = { url: 'https://hooks.acme.example/guildhall', events: ['task.moved'] };
const webhook = async ({ make, brandId }: Given, path = '') =>
  `/brands/${brandId}/webhooks/${(await make(`/brands/${brandId}/webhooks`, WEBHOOK))['webhook_id']}${path}`;
const memberPath = ({ brandId, member }: Given, path = '') =>
  `/brands/${brandId}/members/${member.user_id}${path}`;

/** A person without a workspace, who can be added by id. */
const outsider = async () => (await world.person()).user_id;

const byAdmins: Record<string, Request> = {
  'changes a role': (given) => ['PATCH', memberPath(given), { role: 'admin' }],
  'removes a member': (given) => ['DELETE', memberPath(given)],
  "sets a member's password": (given) => [
    'POST',
    memberPath(given, '/set-password'),
    { password: 'a much better one' },
  ],
  'mails a member a link for a new password': (given) => ['POST', memberPath(given, '/reset-password')],
  'invites a member': ({ brandId }) => [
    'POST',
    `/brands/${brandId}/invitations`,
    { email: 'new@example.test', role: 'admin' },
  ],
  'makes a guest a member': async ({ brandId, room }) => {
    const [guest, space] = [await outsider(), await spaceOf(room)];
    await room.call('PUT', `/api/v1/docs/spaces/${space}/guests/${guest}`, { role: 'viewer' });
    return ['POST', `/brands/${brandId}/guests/${guest}/make-member`];
  },
  'invites a guest to a board': async ({ room }) => [
    'POST',
    `/board/boards/${await boardOf(room)}/guests`,
    { email: 'guest@example.test', role: 'viewer' },
  ],
  'lets a guest into a board': async ({ room }) => [
    'PUT',
    `/board/boards/${await boardOf(room)}/guests/${await outsider()}`,
    { role: 'viewer' },
  ],
  'invites a guest to a docs space': async ({ room }) => [
    'POST',
    `/docs/spaces/${await spaceOf(room)}/guests`,
    { email: 'guest@example.test', role: 'viewer' },
  ],
  'lets a guest into a docs space': async ({ room }) => [
    'PUT',
    `/docs/spaces/${await spaceOf(room)}/guests/${await outsider()}`,
    { role: 'viewer' },
  ],
  'changes the workspace': ({ brandId }) => ['PATCH', `/brands/${brandId}`, { require_mfa: false }],
  'creates a webhook': ({ brandId }) => ['POST', `/brands/${brandId}/webhooks`, WEBHOOK],
  'changes a webhook': async (given) => ['PATCH', await webhook(given), { events: ['task.created'] }],
  'rotates the secret of a webhook': async (given) => ['POST', await webhook(given, '/rotate-secret')],
  'connects a repository host': ({ room }) => [
    'PUT',
    `/projects/${room.projectId}/forge`,
    { kind: 'github', token: 'ghp_secret' },
  ],
  'renews the secret of its hook': async ({ room }) => {
    await room.put();
    return ['POST', `/projects/${room.projectId}/forge/hook-secret`];
  },
  'creates the deploy key': ({ brandId }) => ['GET', `/brands/${brandId}/deploy-key`],
  'gives a project a deploy key': ({ room }) => [
    'PUT',
    `/projects/${room.projectId}/credentials`,
    { kind: 'deploy_key' },
  ],
  'attaches a local repository': async ({ brandId }) => {
    await mkdir(join(world.config.repositoriesDir, String(brandId)), { recursive: true });
    return ['POST', '/projects', { name: 'Local', repository: { url: 'app' } }];
  },
};

const bySessions: Record<string, Request> = {
  'creates a token': () => ['POST', '/me/tokens', { name: 'mine', scopes: ['brand:read'] }],
  'orders a desk': () => ['POST', '/workstations', { name: 'Desk' }],
  "regenerates a desk's token": async ({ make }) => [
    'POST',
    `/workstations/${(await make('/workstations', { name: 'Desk' }))['workstation_id']}/regenerate-pat`,
  ],
};

const boardOf = async (room: ForgeWorkspace) =>
  (await room.call('POST', '/api/v1/board/boards', { name: 'Roadmap' })).body['board_id'];
const spaceOf = async (room: ForgeWorkspace) =>
  (await room.call('POST', '/api/v1/docs/spaces', { name: 'Handbook' })).body['space_id'];

type Credential = 'bearer' | 'session';

/**
 * Sends the request while the change is written but not committed, so after the caller was authorized and
 * before the request's transaction can continue.
 */
async function askBefore(
  request: Request,
  credential: Credential,
  change: (room: ForgeWorkspace) => Statement,
) {
  const room = await world.furnish();
  const { brand, bearer, cookie } = room.space;
  const headers: Record<string, string> = credential === 'bearer' ? bearer : { cookie };
  const given: Given = {
    room,
    brandId: brand.brand_id,
    member: await world.member(brand),
    make: async (path, body) => (await room.call('POST', `/api/v1${path}`, body, headers)).body as never,
  };
  const [method, path, payload] = await request(given);
  const written = () =>
    world.db
      .selectFrom('audit_log')
      .select('audit_id')
      .where('brand_id', '=', brand.brand_id)
      .orderBy('audit_id')
      .execute();
  const before = await written();
  const [answer] = await callWhileLocked(world, change(room), () =>
    world.inject({ method, url: `/api/v1${path}`, headers, payload }),
  );
  expect(await written()).toEqual(before);
  return [answer!.statusCode, answer!.json()];
}

const ENDED = [
  401,
  { detail: 'Not authenticated: the credential is missing, malformed, expired or revoked' },
];
const demoted = ({ space }: ForgeWorkspace): Statement => [
  "update memberships set role = 'member' where brand_id = $1 and user_id = $2",
  space.brand.brand_id,
  space.admin.user_id,
];
const revoked = ({ space }: ForgeWorkspace): Statement => [
  'update tokens set revoked_at = now() where brand_id = $1',
  space.brand.brand_id,
];
const narrowed = ({ space }: ForgeWorkspace): Statement => [
  'update tokens set scopes = $2 where brand_id = $1',
  space.brand.brand_id,
  ['brand:read'],
];
const signedOut = ({ space }: ForgeWorkspace): Statement => [
  'delete from sessions where user_id = $1',
  space.admin.user_id,
];

describe.each(Object.entries(byAdmins))('A request that %s', (_name, request) => {
  it('writes nothing and gives 403 if its admin became a member after authorization', async () => {
    expect(await askBefore(request, 'bearer', demoted)).toEqual([
      403,
      { detail: 'Brand admin access required' },
    ]);
  });

  it('writes nothing and gives 401 if its token was revoked after authorization', async () => {
    expect(await askBefore(request, 'bearer', revoked)).toEqual(ENDED);
  });

  it('writes nothing and gives 401 if its session ended after authorization', async () => {
    expect(await askBefore(request, 'session', signedOut)).toEqual(ENDED);
  });
});

describe.each(Object.entries(bySessions))('A request that %s', (_name, request) => {
  it('writes nothing and gives 401 if its session ended after authorization', async () => {
    expect(await askBefore(request, 'session', signedOut)).toEqual(ENDED);
  });
});

describe('A request whose token lost a scope after authorization', () => {
  it('writes nothing and gives 403 with the missing scope', async () => {
    expect(await askBefore(byAdmins['changes a role']!, 'bearer', narrowed)).toEqual([
      403,
      {
        detail: 'Token lacks scope brand:admin; this workspace allows it, so a new token can carry it',
      },
    ]);
  });
});

describe('Two admins who demote each other at once', () => {
  it('leave one admin', async () => {
    const { space } = await world.furnish();
    const other = await world.member(space.brand, { role: 'admin' });
    const theirs = { authorization: `Bearer ${await world.token(space.brand, other)}` };
    const demote = (person: TestPerson, headers: Record<string, string>) => () =>
      world.inject({
        method: 'PATCH',
        url: `/api/v1/brands/${space.brand.brand_id}/members/${person.user_id}`,
        headers,
        payload: { role: 'member' },
      });
    const held: Statement = ['select from brands where brand_id = $1 for update', space.brand.brand_id];
    const answers = await callWhileLocked(
      world,
      held,
      demote(other, space.bearer),
      demote(space.admin, theirs),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  });
});
