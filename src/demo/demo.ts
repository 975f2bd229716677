import type { Config } from '../config/config.js';
import type { CoderProfileService } from '../features/coder-profiles/index.js';
import type { IdentityService } from '../features/identity/index.js';
import type { OperatorService } from '../features/operator/operator.service.js';
import type { WebhookService } from '../features/webhooks/index.js';
import { DEFAULT_SCOPE_CEILING, SCOPES } from '../kernel/access.js';
import type { Log } from '../kernel/log.js';
import { seedAttachmentDemo, seedBoardDemo } from './boards/demo.js';
import { type BuildDemo, seedBuildDemo } from './builds/builds.js';
import { seedWorkstationDemo } from './desk/workstations.js';
import { seedHires } from './hires.js';
import { type HostDemo, seedForgeDemo } from './host/demo-host.js';
import { seedInboxCards, seedInboxDemo } from './inbox.js';
import { type LessonsDemo, seedLessonsDemo } from './lessons.js';
import { seedMemoryDemo } from './memory.js';
import { seedCoderProfiles, seedWebhookDemo, seedWorkspaces } from './workspaces.js';

type DemoApp = Parameters<typeof seedMemoryDemo>[0] &
  Parameters<typeof seedHires>[0] &
  Parameters<typeof seedWorkspaces>[0] &
  Parameters<typeof seedBoardDemo>[0] &
  Parameters<typeof seedAttachmentDemo>[0] &
  Parameters<typeof seedInboxDemo>[0] &
  Parameters<typeof seedBuildDemo>[0] &
  Parameters<typeof seedLessonsDemo>[0] &
  Parameters<typeof seedForgeDemo>[0] &
  Omit<Parameters<typeof seedWorkstationDemo>[0], 'baseUrl'> & {
    config: Config;
    operator: OperatorService;
    identity: IdentityService;
    coderProfiles: CoderProfileService;
    webhooks: WebhookService;
  };

const PASSWORD = 'guildhall-demo';

/** The data that the service prints at startup. */
export interface Demo {
  people: { email: string; role: string; workspace: string }[];
  token: string;
  brandId: number;
  agentId: string;
  /** Undefined on a machine without git. */
  lessons: LessonsDemo | undefined;
  /** Undefined on a machine without git, or where no desk can be reached on loopback. */
  build: BuildDemo | undefined;
  /** Undefined with a database other than the embedded one. */
  host: HostDemo | undefined;
}

/**
 * The demo is created only on an empty database: by default on the embedded one, on another when configured,
 * and never in production, where its public password would let anyone sign in.
 */
export async function wantsDemo(
  { config, operator }: Pick<DemoApp, 'config' | 'operator'>,
  log: Pick<Log, 'warn'>,
): Promise<boolean> {
  if (config.environment === 'production') {
    if (config.demo)
      log.warn('GUILDHALL_DEMO is ignored: there is no demo world with ENVIRONMENT=production');
    return false;
  }
  if (!(config.demo ?? config.databaseUrl === undefined)) return false;
  return (await operator.listBrands({ limit: 1 })).total === 0;
}

export async function seedDemo(app: DemoApp): Promise<Demo> {
  const { operator } = app;
  const acme = await operator.createBrand({
    name: 'Acme Robotics',
    plan: 'business',
    scope_ceiling: [...SCOPES],
  });
  const birch = await operator.createBrand({
    name: 'Birch & Co',
    plan: 'free',
    scope_ceiling: [...DEFAULT_SCOPE_CEILING],
  });

  const person = (email: string, fullName: string, mailName: string) =>
    operator.createUser({ email, full_name: fullName, password: PASSWORD, mail_name: mailName });
  const ada = await person('ada@acme.example', 'Ada Lindqvist', 'ada');
  const ben = await person('ben@acme.example', 'Ben Okafor', 'ben');
  const cleo = await person('cleo@birch.example', 'Cleo Marchetti', 'cleo');
  await operator.putMember(acme.brand_id, ada.user_id, { role: 'admin', position: 'Head of engineering' });
  await operator.putMember(acme.brand_id, ben.user_id, { role: 'member', position: 'Engineer' });
  await operator.putMember(birch.brand_id, cleo.user_id, { role: 'admin', position: 'Founder' });

  const { token } = await operator.createToken(acme.brand_id, {
    user_id: ada.user_id,
    name: 'demo',
    scopes: [...SCOPES],
    expiresAt: null,
  });
  const admin = (await app.identity.authenticators.pat(token))!;

  await seedWorkspaces(app, admin, PASSWORD);
  // Seeds independent features concurrently to shorten the first start.
  const remembering = seedMemoryDemo(app, acme.brand_id);
  const [agent, { build, lessons, host }] = await Promise.all([
    remembering,
    seedWork(),
    seedCoderProfiles(app.coderProfiles, admin),
    seedWebhookDemo(app.webhooks, admin),
    seedHires(app, { large: acme.brand_id, small: birch.brand_id }),
  ]);

  async function seedWork() {
    await seedBoardDemo(app, [
      { brandId: acme.brand_id, people: [ada, ben] },
      { brandId: birch.brand_id, people: [cleo] },
    ]);
    // Created before the builds' cards, because concurrent creation would make the card numbers random, and
    // the README names one.
    const cards = await seedInboxCards(app, admin);
    const [furnished] = await Promise.all([
      seedBuilds(),
      seedAttachmentDemo(app, admin),
      remembering.then((agent) => cards && seedInboxDemo(app, admin, ben, agent, cards)),
    ]);
    return furnished;
  }

  async function seedBuilds() {
    // Before the larger repository, so that it is indexed first.
    const build = await seedBuildDemo(app, admin);
    const [lessons, host] = await Promise.all([
      seedLessonsDemo(app, admin),
      build && seedForgeDemo(app, admin, build),
      seedWorkstationDemo({ ...app, baseUrl: app.config.baseUrl }, acme.brand_id, build?.projectId),
    ]);
    return { build, lessons, host };
  }

  return {
    token,
    brandId: acme.brand_id,
    agentId: agent.agentId,
    lessons,
    build,
    host,
    people: [
      { email: ada.email, role: 'admin', workspace: acme.name },
      { email: ben.email, role: 'member', workspace: acme.name },
      { email: cleo.email, role: 'admin', workspace: birch.name },
    ],
  };
}

export function describeDemo(
  { people, token, brandId, agentId, lessons, build, host }: Demo,
  config: Config,
): string {
  const api = `${config.baseUrl}/api/v1`;
  const bearer = `-H 'Authorization: Bearer ${token}'`;
  const credentials = JSON.stringify({ email: people[0]!.email, password: PASSWORD });
  const cookies = 'guildhall-cookies.txt';
  const lessonsPath = lessons
    ? `memory/entries/search?project_id=${lessons.projectId}&anchor=${lessons.path}`
    : 'projects';
  const lines = people.map(
    ({ email, role, workspace }) => `  ${email.padEnd(22)} ${role.padEnd(7)} of ${workspace}`,
  );
  return `
A demo world is in place. Open ${config.baseUrl}/ and sign in with the password ${PASSWORD} as
${lines.join('\n')}

One call per area, ready to paste; the last two use a session, which the first of them opens:
  curl ${api}/system/health
  curl ${bearer} '${api}/brands/${brandId}/features?format=md'
  curl ${bearer} '${api}/factory/coder-profiles?coder=claude&task_type=coding'
  curl ${bearer} '${api}/board/master/tasks?status=in_progress&limit=5'
  curl ${bearer} -X POST '${api}/memory/agents/${agentId}/context?query=what+happens+on+fridays&limit=3'
  curl ${bearer} '${api}/${lessonsPath}'
  curl -c ${cookies} -H 'Content-Type: application/json' -d '${credentials}' ${api}/auth/login && curl -b ${cookies} ${api}/workstations
  curl -b ${cookies} ${api}/employees/hires
${build ? describeBuild(build, api, bearer) : ''}${host ? describeHost(host) : ''}`;
}

/** Indexing takes a few seconds; an earlier request is asked to try again. */
const describeBuild = ({ taskId, ref }: BuildDemo, api: string, bearer: string): string => `
Hand ${ref} to the desk Loopback, and watch it on the card (a script stands in for the coder; all else is real):
  curl -sS --retry 20 --retry-delay 1 --retry-all-errors ${bearer} -X POST ${api}/board/tasks/${taskId}/builds
`;

const describeHost = ({ webUrl }: HostDemo): string => `
What you accept becomes a pull request on a simulated host, which needs no account; merge it there, and the card is done:
  ${webUrl}
`;
