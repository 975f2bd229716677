import {
  type Check,
  type Forge,
  ForgeFailed,
  type OpenForge,
  type PullRequest,
  type Review,
} from '../../src/features/forges/adapter/forge.js';
import { addDesks } from '../desk-end-to-end/desk-world.js';
import { startTestApp } from './app.js';
import { checkouts } from './build-checkouts.js';
import { furnish } from './build-world.js';
import type { TestDatabase } from './database.js';

interface Held extends PullRequest {
  body: string;
  checks: Check[];
  reviews: Review[];
  deployment: string | null;
}

type Verb = keyof Forge;

/** An in-memory repository host. Tests act on it as people do, and can make each method fail or hang. */
export class MemoryHost {
  readonly pulls: Held[] = [];
  readonly calls: string[] = [];
  /** Runs before the method does anything, and may throw. */
  before: Partial<Record<Verb, (repository: string) => Promise<void> | void>> = {};
  /** Runs after the method succeeded, and may throw, so that the answer is lost. */
  after: Partial<Record<Verb, (repository: string) => Promise<void> | void>> = {};
  #sha = 0;

  readonly open: OpenForge = ({ repository }) => {
    const url = (number: number) => `https://git.example.test/${repository}/pull/${number}`;
    const shown = ({ body: _, checks: __, reviews: ___, deployment: ____, ...told }: Held): PullRequest =>
      structuredClone(told);
    const verbs: Partial<Forge> = {
      tryOut: async () => ({ repository, defaultBranch: 'main', mayPush: true, mayOpenPullRequests: true }),
      openPullRequest: async ({ title, body, branch, base }) => {
        if (this.openOf(branch).length > 0)
          throw new ForgeFailed('invalid', 'The host has a pull request for this branch already');
        const number = this.pulls.length + 1;
        this.pulls.unshift({
          number,
          url: url(number),
          title,
          body,
          state: 'open',
          head: { branch, sha: `${branch}-${++this.#sha}` },
          base: { branch: base, sha: 'base' },
          mergeable: true,
          mergedAt: null,
          reviewRequested: false,
          foreign: false,
          checks: [],
          reviews: [],
          deployment: null,
        });
        return shown(this.pulls[0]!);
      },
      changePullRequest: async (number, { title, body, close }) => {
        const held = this.get(number);
        held.title = title ?? held.title;
        held.body = body ?? held.body;
        if (close && held.state !== 'merged') held.state = 'closed';
        return shown(held);
      },
      listOpenPullRequests: async (of) =>
        this.pulls
          .filter(
            ({ state, head }) =>
              (of?.ended || /open|draft/.test(state)) && (!of || head.branch === of.branch),
          )
          .map((held) => ({ ...shown(held), mergeable: null })),
      readPullRequest: async (number) => {
        const held = this.pulls.find((each) => each.number === number);
        return held && shown(held);
      },
      readChecks: async (sha) =>
        structuredClone(this.pulls.find(({ head }) => head.sha === sha)?.checks ?? []),
      readReviews: async (number) => ({ reviews: structuredClone(this.get(number).reviews), comments: [] }),
      findDeployment: async (sha) => this.pulls.find(({ head }) => head.sha === sha)?.deployment ?? undefined,
    };
    return new Proxy(verbs as Forge, {
      get:
        (target, verb: Verb) =>
        async (...given: never[]) => {
          this.calls.push(verb);
          await this.before[verb]?.(repository);
          const answer = await (target[verb] as (...given: never[]) => Promise<unknown>)(...given);
          await this.after[verb]?.(repository);
          return answer;
        },
    });
  };

  get(number: number): Held {
    const held = this.pulls.find((each) => each.number === number);
    if (!held) throw new ForgeFailed('missing', 'There is no such pull request');
    return held;
  }

  openOf(branch: string): Held[] {
    return this.pulls.filter(({ head, state }) => head.branch === branch && /open|draft/.test(state));
  }

  of({ ref }: { ref: string }): Held[] {
    return this.pulls.filter(({ title }) => title.startsWith(`${ref}: `));
  }

  openedFor(card: { ref: string }): Held[] {
    return this.of(card).filter(({ state }) => /open|draft/.test(state));
  }

  heal(): void {
    this.before = {};
    this.after = {};
  }

  change(number: number, change: Partial<Held>): void {
    Object.assign(this.get(number), change);
  }

  check(number: number, ...checks: [string, Check['state']][]): void {
    const made = checks.map(([name, state]) => ({ name, state, url: null, summary: null, log: null }));
    this.change(number, { checks: made });
  }

  merge(number: number): void {
    this.change(number, { state: 'merged', mergedAt: new Date('2026-03-04T05:06:07Z') });
  }
}

export const down = () => {
  throw new ForgeFailed('unreachable', 'The host is not reachable');
};

/** A workspace with a project on the in-memory host, and a desk with successful builds. */
export async function startPullRequestWorld(options: NodeOptions = {}) {
  const host = new MemoryHost();
  const world = await startNode(host, options);
  return {
    world,
    host,
    furnish: (repository?: string) => furnishWorkspace(world, repository),
    room: await furnishWorkspace(world),
  };
}

interface NodeOptions {
  workers?: boolean;
  database?: TestDatabase;
}

export const startNode = async (host: MemoryHost, options: NodeOptions = {}) =>
  addDesks(await startTestApp({ ...options, openForge: host.open }));

type World = Awaited<ReturnType<typeof startNode>>;

interface AttemptOptions {
  /** An existing card. */
  on?: { id: string; ref: string };
  /** Fields of the new card. */
  fields?: Record<string, unknown>;
  /** The previous attempt. */
  continues?: string;
}

async function furnishWorkspace(world: World, repository = 'acme/app') {
  const room = await furnish(world);
  const desk = await room.readyDesk();
  const git = checkouts(room);
  const { brand_id: brandId } = room.space.brand;
  const connect = (body: object = {}) =>
    room.call('PUT', `/api/v1/projects/${room.projectId}/forge`, {
      kind: 'github',
      api_url: 'https://git.example.test/api/v3',
      repository,
      token: 'secret',
      ...body,
    });
  const connected = await connect();
  if (connected.status !== 200) throw new Error(JSON.stringify(connected.body));

  /** Creates an accepted and pushed build whose pull request is not open yet. */
  const acceptBuild = async ({ on, fields, continues }: AttemptOptions = {}) => {
    const card = on ?? (await room.card(fields));
    await room.build(card.id, continues === undefined ? {} : { continues });
    const build = await git.succeed(desk, { 'a.md': `${Math.random()}\n` });
    const accepted = await room.call('POST', `/api/v1/factory/builds/${build.buildId}/review`, {
      decision: 'accept',
    });
    if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body));
    await world.runJob('build-push');
    return { card, ...build };
  };
  const acceptAndOpen = async (more?: AttemptOptions) => {
    const builds = await acceptBuild(more);
    await world.runJob('forge-pulls');
    return builds;
  };
  const entries = async (taskId: string) =>
    (await room.activity()).filter(({ task_id }) => task_id === taskId).toReversed();
  const path = (taskId: string) => `/api/v1/board/tasks/${taskId}/pull-request`;
  return {
    ...room,
    brandId,
    desk,
    git,
    connect,
    acceptBuild,
    acceptAndOpen,
    entries,
    look: () => world.runJob('forge-pass'),
    shown: (taskId: string) => room.call('GET', path(taskId)),
    tie: (taskId: string, body: object) => room.call('POST', path(taskId), body),
  };
}

export type PullRequestWorkspace = Awaited<ReturnType<typeof furnishWorkspace>>;
