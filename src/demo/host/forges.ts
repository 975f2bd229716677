import type { ForgeService } from '../../features/forges/forges.service.js';
import type { MemberCaller } from '../../kernel/access.js';
import { DEMO_REPOSITORY, type DemoHost } from './demo-host.js';

/** Where people see what was accepted. */
export interface HostDemo {
  webUrl: string;
}

interface DemoDeps {
  forges: Pick<ForgeService, 'connections'>;
  /** Missing where no demo world may be. */
  demoHost: DemoHost | undefined;
}

/** The demo project on a host of its own: the first build can be followed to its merge without any account. */
export async function seedForgeDemo(
  { forges, demoHost }: DemoDeps,
  admin: MemberCaller,
  { projectId, repository }: { projectId: string; repository: string },
): Promise<HostDemo | undefined> {
  if (!demoHost) return undefined;
  const { connections } = forges;
  const { apiUrl, token, webUrl } = await demoHost.make(projectId, repository);
  const address = { kind: 'github', api_url: apiUrl, repository: DEMO_REPOSITORY, token } as const;
  await connections.connect(admin, projectId, address);
  const { secret } = await connections.renewHookSecret(admin, projectId);
  await demoHost.tellWith(secret);
  return { webUrl };
}
