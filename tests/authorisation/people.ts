import { type GuestLevel, SCOPES, type Scope } from '../../src/kernel/access.js';
import { newToken } from '../../src/kernel/secrets.js';
import { ADMIN_KEY, type TestPerson, type World } from '../support/app.js';
import type { Dice } from './dice.js';
import type { Credential, Person } from './model.js';
import type { makeThings } from './things.js';

type Workspace = Awaited<ReturnType<World['workspace']>>;

interface Actor extends Person {
  name: string;
  account: TestPerson;
}

const LEVELS: readonly GuestLevel[] = ['viewer', 'commenter', 'editor'];
const MOST_DEAD = 15;

/** Creates people with their credentials, and the changes that can happen to them between two requests. */
export async function gatherPeople(
  world: World,
  workspaces: readonly Workspace[],
  things: ReturnType<typeof makeThings>,
  dice: Dice,
) {
  const actors: Actor[] = [];
  const credentials: (Credential & { tokenId?: string; desk?: string })[] = [];
  const ceilings: Scope[][] = workspaces.map(() => [...SCOPES]);

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const brandOf = (tenant: number) => workspaces[tenant]!.brand;
  const placeOf = (tenant: number, board: number) => ({ tenant, board, namesBrand: false });

  async function issueToken(actor: Actor, scopes: Scope[], fields: { expiresAt?: Date } = {}): Promise<void> {
    const { expiresAt } = fields;
    const { token, token_id } = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${brandOf(actor.tenant).brand_id}/tokens`,
      { user_id: actor.account.user_id, scopes, name: 'walk', expires_at: expiresAt?.toISOString() },
    );
    const name = `token of ${actor.name} (${scopes.join(' ')})`;
    credentials.push({
      name,
      kind: 'pat',
      headers: bearer(token),
      dead: false,
      person: actor,
      scopes,
      expiresAt,
      tokenId: token_id,
    });
  }

  async function signIn(actor: Actor): Promise<void> {
    const cookie = await world.signIn(actor.account, brandOf(actor.tenant));
    credentials.push({
      name: `session of ${actor.name}`,
      kind: 'session',
      headers: { cookie },
      dead: false,
      person: actor,
    });
  }

  async function enrol(
    tenant: number,
    name: string,
    fields: Partial<Actor>,
    account: TestPerson,
  ): Promise<Actor> {
    const actor: Actor = {
      name: `${name} ${tenant}`,
      account,
      tenant,
      role: 'nobody',
      staff: false,
      first: false,
      levels: [],
      space: false,
      ...fields,
    };
    actors.push(actor);
    return actor;
  }

  async function putGuest(actor: Actor, board: number, level: GuestLevel): Promise<void> {
    const boardId = await things.find('board_id', placeOf(actor.tenant, board));
    await asAdmin(actor.tenant, 'PUT', `/api/v1/board/boards/${boardId}/guests/${actor.account.user_id}`, {
      role: level,
    });
    actor.role = 'guest';
    actor.levels[board] = level;
  }

  async function asAdmin(tenant: number, method: 'PUT' | 'POST' | 'DELETE', url: string, payload?: object) {
    const answer = await world.inject({
      method,
      url,
      headers: { cookie: workspaces[tenant]!.cookie },
      payload,
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    return answer.body === '' ? undefined : answer.json();
  }

  const letCredentialsDie = (actor: Actor) => {
    for (const each of credentials) if (each.person === actor) each.dead = true;
  };

  async function member(
    tenant: number,
    name: string,
    role: 'admin' | 'member',
    kind = 'person',
  ): Promise<Actor> {
    const account = await world.person({ kind });
    await world.member(brandOf(tenant), { role, person: account });
    const actor = await enrol(tenant, name, { role, staff: kind === 'staff' }, account);
    await signIn(actor);
    await issueToken(actor, [...SCOPES]);
    await issueToken(actor, dice.some(SCOPES));
    await issueToken(actor, []);
    return actor;
  }

  async function guest(tenant: number, name: string, board: number, level: GuestLevel): Promise<Actor> {
    const actor = await enrol(tenant, name, {}, await world.person());
    await putGuest(actor, board, level);
    await signIn(actor);
    return actor;
  }

  async function giveDesk(tenant: number): Promise<void> {
    const { workstation_id, pat } = await asAdmin(tenant, 'POST', '/api/v1/workstations', {
      name: 'Walking desk',
    });
    credentials.push({
      name: `desk of ${tenant}`,
      kind: 'desk',
      headers: bearer(pat),
      dead: false,
      desk: workstation_id,
    });
  }

  for (const tenant of workspaces.keys()) {
    const { admin, token, cookie } = workspaces[tenant]!;
    const first = await enrol(tenant, 'first admin', { role: 'admin', first: true }, admin);
    credentials.push(
      { name: `session of ${first.name}`, kind: 'session', headers: { cookie }, dead: false, person: first },
      {
        name: `token of ${first.name}`,
        kind: 'pat',
        headers: bearer(token),
        dead: false,
        person: first,
        scopes: SCOPES,
      },
      {
        name: 'a good session beside a bad bearer',
        kind: 'none',
        headers: { cookie, ...bearer(newToken('guild_pat_')) },
        dead: false,
      },
      {
        name: 'a good token beside a bad session',
        kind: 'pat',
        headers: { cookie: 'guildhall_session=no', ...bearer(token) },
        dead: false,
        person: first,
        scopes: SCOPES,
      },
    );
    await member(tenant, 'second admin', 'admin');
    await member(tenant, 'member', 'member');
    await member(tenant, 'staff', 'member', 'staff');
    for (const level of LEVELS) await guest(tenant, level, 0, level);
    await guest(tenant, 'guest of the other board', 1, 'editor');
    const reader = await guest(tenant, 'reader', 1, 'viewer');
    const spaceId = await things.find('space_id', placeOf(tenant, 0));
    await asAdmin(tenant, 'PUT', `/api/v1/docs/spaces/${spaceId}/guests/${reader.account.user_id}`, {
      role: 'viewer',
    });
    reader.space = true;
    const expiresAt = new Date(world.clock.now().getTime() - 1000);
    await issueToken(first, [...SCOPES], { expiresAt });
    await leave(await member(tenant, 'former member', 'member'));
    await giveDesk(tenant);
  }
  credentials.push(
    { name: 'nothing', kind: 'none', headers: {}, dead: false },
    { name: 'garbage', kind: 'pat', headers: bearer('garbage'), dead: true },
    { name: 'an unknown token', kind: 'pat', headers: bearer(newToken('guild_pat_')), dead: true },
    { name: 'an unknown desk token', kind: 'desk', headers: bearer(newToken('guild_desk_')), dead: true },
    {
      name: 'an unknown session',
      kind: 'session',
      headers: { cookie: 'guildhall_session=unknown' },
      dead: true,
    },
    { name: 'a wrong admin key', kind: 'operator', headers: { 'x-admin-key': 'wrong' }, dead: true },
    { name: 'the admin key', kind: 'operator', headers: { 'x-admin-key': ADMIN_KEY }, dead: false },
  );

  async function leave(actor: Actor): Promise<void> {
    await world.operator(
      'DELETE',
      `/brands/${brandOf(actor.tenant).brand_id}/members/${actor.account.user_id}`,
    );
    actor.role = 'nobody';
    letCredentialsDie(actor);
  }

  const movable = () => actors.filter(({ first }) => !first);
  const isMember = ({ role }: Person) => role === 'member' || role === 'admin';
  const wasGuest = ({ levels }: Person) => levels.length > 0;

  /** Changes between two requests. Each returns a description for the log of a failed run. */
  const events: Record<string, () => Promise<string>> = {
    async revoke() {
      const token = dice.pick(credentials.filter(({ tokenId, dead }) => tokenId && !dead));
      if (!token) return 'no token is left to revoke';
      await world.operator('DELETE', `/tokens/${token.tokenId}`);
      token.dead = true;
      return `revoked ${token.name}`;
    },
    async issue() {
      const actor = dice.pick(actors.filter(isMember));
      const scopes = dice.some(ceilings[actor.tenant]!);
      const expiresAt = dice.chance(0.5) ? new Date(world.clock.now().getTime() + 15 * 60_000) : undefined;
      await issueToken(actor, scopes, { expiresAt });
      return `issued a token to ${actor.name}`;
    },
    async changeRole() {
      const actor = dice.pick(movable().filter(isMember));
      if (!actor) return 'nobody to promote';
      actor.role = actor.role === 'admin' ? 'member' : 'admin';
      await world.member(brandOf(actor.tenant), { role: actor.role, person: actor.account });
      return `${actor.name} is now ${actor.role}`;
    },
    async leaveOrReturn() {
      const actor = dice.pick(movable().filter((each) => !wasGuest(each)));
      if (isMember(actor)) {
        await leave(actor);
        return `${actor.name} left`;
      }
      actor.role = dice.pick(['admin', 'member'] as const);
      await world.member(brandOf(actor.tenant), { role: actor.role, person: actor.account });
      await signIn(actor);
      await issueToken(actor, dice.some(ceilings[actor.tenant]!));
      return `${actor.name} came back as ${actor.role}`;
    },
    async changeGuest() {
      const actor = dice.pick(movable().filter(wasGuest));
      const board = dice.below(2);
      if (actor.levels[board] === undefined || dice.chance(0.4)) {
        const returned = actor.role === 'nobody';
        await putGuest(actor, board, dice.pick(LEVELS));
        if (returned) await signIn(actor);
        return `${actor.name} is ${actor.levels[board]} of board ${board}`;
      }
      const boardId = await things.find('board_id', placeOf(actor.tenant, board));
      await asAdmin(
        actor.tenant,
        'DELETE',
        `/api/v1/board/boards/${boardId}/guests/${actor.account.user_id}`,
      );
      actor.levels[board] = undefined;
      if (actor.levels.every((level) => level === undefined) && !actor.space) {
        actor.role = 'nobody';
        letCredentialsDie(actor);
      }
      return `board ${board} was closed to ${actor.name}`;
    },
    async changeCeiling() {
      const tenant = dice.below(workspaces.length);
      ceilings[tenant] = dice.chance(0.5) ? [...SCOPES] : dice.some(SCOPES);
      await world.operator('PATCH', `/brands/${brandOf(tenant).brand_id}`, {
        scope_ceiling: ceilings[tenant],
      });
      return `the ceiling of ${tenant} is ${ceilings[tenant].join(' ')}`;
    },
    async switchFeature() {
      const tenant = dice.below(workspaces.length);
      const key = dice.pick(['skills', 'feed', 'machines', 'crm']);
      const on = dice.chance(0.5);
      await asAdmin(tenant, 'PUT', `/api/v1/brands/${brandOf(tenant).brand_id}/features/${key}`, { on });
      return `${key} of ${tenant} is ${on ? 'on' : 'off'}`;
    },
    async passTime() {
      await world.advance(10 * 60);
      return 'ten minutes passed';
    },
    async signOut() {
      const session = dice.pick(
        credentials.filter(
          ({ kind, dead, person }) => kind === 'session' && !dead && person && !person.first,
        ),
      );
      if (!session) return 'nobody is signed in';
      await world.inject({ method: 'POST', url: '/api/v1/auth/logout', headers: session.headers });
      session.dead = true;
      await signIn(session.person as Actor);
      return `${session.name} ended, another began`;
    },
    async changeDeskToken() {
      const desk = dice.pick(credentials.filter((each) => each.desk && !each.dead));
      const tenant = Number(desk.name.split(' ').at(-1));
      const { pat } = await asAdmin(tenant, 'POST', `/api/v1/workstations/${desk.desk}/regenerate-pat`);
      desk.dead = true;
      credentials.push({ ...desk, headers: bearer(pat), dead: false });
      return `${desk.name} got another token`;
    },
  };

  return {
    credentials: credentials as readonly Credential[],
    ceilingOf: (tenant: number) => ceilings[tenant]!,
    async happen(): Promise<string> {
      const told = await events[dice.pick(Object.keys(events))]!();
      const dead = credentials.filter(({ dead, person }) => dead && person);
      // Drops the oldest dead credentials: the test needs only recently revoked ones.
      for (const each of dead.slice(0, -MOST_DEAD)) credentials.splice(credentials.indexOf(each), 1);
      return told;
    },
    /** Records that a person ended their own session, and signs them in again. */
    async ended({ headers, person }: Credential): Promise<void> {
      for (const each of credentials) if (each.headers['cookie'] === headers['cookie']) each.dead = true;
      await signIn(person as Actor);
      const { cookie } = credentials.at(-1)!.headers;
      if (person!.first) workspaces[person!.tenant]!.cookie = cookie!;
    },
  };
}
