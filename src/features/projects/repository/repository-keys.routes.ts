import { noContent } from '../../../platform/http/answer/answers.js';
import { error, type Route, route, textParam } from '../../../platform/http/declaration/route.js';
import { DeployKeyView, HostKeyList } from '../projects.schemas.js';
import type { createRepositoryKeyService } from './repository-keys.service.js';
import { administering, tags } from './route-parts.js';

/** The key of the workspace, and those of the hosts it has met. */
export function keyRoutes(keys: ReturnType<typeof createRepositoryKeyService>): Route[] {
  return [
    route({
      name: 'get_deploy_key',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/deploy-key',
      summary: "Read the workspace's key for ssh repositories",
      description: 'Made when first needed. Add it at the host of each private repository.',
      tags,
      access: administering,
      responses: { 200: DeployKeyView },
      errors: [],
      handler: ({ caller }) => keys.getDeployKey(caller),
    }),
    route({
      name: 'list_host_keys',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/host-keys',
      summary: 'List the pinned keys of ssh hosts',
      description: 'Pinned when a repository there is first read; another key is refused from then on.',
      tags,
      access: administering,
      responses: { 200: HostKeyList },
      errors: [],
      handler: ({ caller }) => keys.listHostKeys(caller),
    }),
    route({
      name: 'forget_host_key',
      method: 'DELETE',
      path: '/api/v1/brands/{brand_id}/host-keys/{host}',
      summary: "Forget a host's key; its next one is pinned",
      description: 'For a host that changed its key: check the new fingerprint with it first.',
      tags,
      access: administering,
      params: {
        host: textParam(undefined, {
          description: 'As list_host_keys shows it; with its port unless 22: `[git.example]:2222`.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'Not found')],
      handler: async ({ caller, params: { host } }) => {
        await keys.forgetHostKey(caller, host);
        return noContent();
      },
    }),
  ];
}
