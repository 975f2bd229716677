import type { InjectOptions } from 'fastify';
import type { Forge, ForgeAddress, OpenForge, Standing } from '../../src/features/forges/adapter/forge.js';
import { startTestApp, type World } from './app.js';

/** A repository host whose methods are set by the test. Methods that are not set do nothing. */
export class ControlledHost {
  asked: ForgeAddress[] = [];
  forge: Partial<Forge> = {};

  readonly open: OpenForge = (address) => {
    this.asked.push(address);
    const standing: Standing = {
      repository: address.repository,
      defaultBranch: 'main',
      mayPush: true,
      mayOpenPullRequests: true,
    };
    const unsaid = (verb: string) => () => Promise.reject(new Error(`Nobody said what ${verb} answers`));
    return new Proxy({ tryOut: async () => standing, ...this.forge } as Forge, {
      get: (verbs, verb: keyof Forge) => verbs[verb] ?? unsaid(verb),
    });
  };
}

export interface Answer {
  status: number;
  body: Record<string, never> & { detail: string };
}

/** A service whose repository hosts are controlled by the test. */
export async function startForgeWorld(env: Record<string, string> = {}) {
  const host = new ControlledHost();
  const world = await startTestApp({ openForge: host.open, env });
  return { ...world, host, furnish: (fields?: object) => furnishForges(world, fields) };
}

export type ForgeWorld = Awaited<ReturnType<typeof startForgeWorld>>;
export type ForgeWorkspace = Awaited<ReturnType<typeof furnishForges>>;

/** A workspace with a project, and the requests about its repository host. */
export async function furnishForges(world: World, fields: object = {}) {
  const space = await world.workspace({ plan: 'business', ...fields });
  const call = async (
    method: InjectOptions['method'],
    url: string,
    payload?: object,
    headers: Record<string, string> = space.bearer,
  ): Promise<Answer> => {
    const answer = await world.inject({ method, url, payload, headers });
    return { status: answer.statusCode, body: JSON.parse(answer.body || '{}') };
  };
  const project = async (url: string | null, name = 'Code'): Promise<string> => {
    const repository = url === null ? null : { url };
    const made = await call('POST', '/api/v1/projects', { name, repository });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body['project_id']!;
  };
  const projectId = await project('https://github.com/acme/app.git');
  const pathOf = (id: string) => `/api/v1/projects/${id}/forge`;
  return {
    space,
    projectId,
    call,
    project,
    pathOf,
    put: (body: object = {}, id = projectId) =>
      call('PUT', pathOf(id), { kind: 'github', token: 'ghp_secret', ...body }),
    get: (id = projectId) => call('GET', pathOf(id)),
    remove: (id = projectId) => call('DELETE', pathOf(id)),
    renew: async (id = projectId): Promise<string> =>
      (await call('POST', `${pathOf(id)}/hook-secret`)).body['secret']!,
  };
}
