import type { InjectOptions } from 'fastify';
import { startTestApp } from '../support/app.js';
import type { PlainAnswer, worldCalls } from '../support/world-calls.js';
import { type FakeSidecar, startFakeSidecar } from './fake-sidecar.js';

type Inject = (request: InjectOptions) => Promise<PlainAnswer>;

export interface OrderedDesk {
  workstation_id: string;
  pat: string;
  install_command: string;
  install_command_sudo: string;
}

/** Starts the service in this process with its own clock. */
export const startDeskWorld = async (env: Record<string, string> = {}) =>
  addDesks(await startTestApp({ env }));

type Ground = ReturnType<typeof worldCalls> & { inject: Inject; stop(): Promise<void> };

/** Adds helpers that create workspaces, order desks and act as a desk. */
export function addDesks<G extends Ground>(world: G) {
  const fakes: FakeSidecar[] = [];
  const spaces: Awaited<ReturnType<typeof world.workspace>>[] = [];
  const signedOut = new Set<Awaited<ReturnType<typeof world.workspace>>>();
  const workspace = async (fields: Record<string, unknown> = {}) => {
    const space = await world.workspace({ plan: 'business', ...fields });
    spaces.push(space);
    return space;
  };
  type Workspace = Awaited<ReturnType<typeof workspace>>;

  const asMember =
    (space: Workspace) => async (method: InjectOptions['method'], url: string, payload?: object) => {
      if (signedOut.delete(space)) space.cookie = await world.signIn(space.admin, space.brand);
      return world.inject({ method, url, headers: { cookie: space.cookie }, payload });
    };

  const asDesk = (desk: { pat: string }) => (name: string, payload: object) =>
    world.inject({
      method: 'POST',
      url: `/api/v1/desk/${name}`,
      headers: { authorization: `Bearer ${desk.pat}` },
      payload,
    });

  const order = async (space: Workspace, fields: Record<string, unknown> = {}): Promise<OrderedDesk> => {
    const response = await asMember(space)('POST', '/api/v1/workstations', { name: 'Desk', ...fields });
    if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`);
    return response.json();
  };

  const install = async (desk: OrderedDesk, installationId = `machine-${desk.workstation_id}`) => {
    const say = asDesk(desk);
    await say('hello', { env_id: desk.workstation_id, hostname: 'box', installation_id: installationId });
    await say('mesh', { public_key: Buffer.alloc(32, desk.workstation_id).toString('base64') });
    const fake = await startFakeSidecar(desk);
    fake.health['installation_id'] = installationId;
    fakes.push(fake);
    await say('sidecar', { sidecar_url: fake.url, version: '0.2.11', code_digest: 'a'.repeat(64) });
    return fake;
  };

  return {
    ...world,
    workspace,
    asMember,
    asDesk,
    order,
    install,
    /** Sessions expire when the clock advances, so everyone signs in again with the next request. */
    async advance(seconds: number) {
      for (const space of spaces) signedOut.add(space);
      return world.advance(seconds);
    },
    poll: () => world.runJob('desk-poll'),
    /** Orders a desk that has already answered a health check. */
    async readyDesk(space: Workspace, fields: Record<string, unknown> = {}) {
      const desk = await order(space, fields);
      const fake = await install(desk);
      await world.runJob('desk-poll');
      return { desk, fake };
    },
    async read(space: Workspace, desk: { workstation_id: string }) {
      return (await asMember(space)('GET', `/api/v1/workstations/${desk.workstation_id}`)).json();
    },
    async stop() {
      await Promise.all(fakes.map((fake) => fake.stop()));
      await world.stop();
    },
  };
}

export type DeskWorld = Awaited<ReturnType<typeof startDeskWorld>>;
export type DeskWorkspace = Awaited<ReturnType<DeskWorld['workspace']>>;

/** The first unfinished step, as `[key, state, reason]`. */
export function stallOf(desk: {
  onboarding_steps: { key: string; state: string; reason: string | null; done: boolean }[];
}) {
  const step = desk.onboarding_steps.find(({ done }) => !done);
  return step ? [step.key, step.state, step.reason] : null;
}
