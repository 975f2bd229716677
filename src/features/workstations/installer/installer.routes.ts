import { bytes, text } from '../../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { renderInstaller, type ServiceAddress } from './installer.js';
import { InstallerQuery } from './installer.schemas.js';
import type { SidecarRelease } from './sidecar-release.js';

interface Installation {
  address: ServiceAddress;
  loadRelease(): Promise<SidecarRelease>;
}

/** Public: the script says nothing about whether the token in it is any good. */
export const installRoutes = ({ address, loadRelease }: Installation): Route[] => [
  route({
    name: 'get_installer',
    method: 'GET',
    path: '/install/sidecar',
    summary: 'The installer, with its parameters inside',
    description: "What a desk's install command runs.",
    tags: ['Install'],
    access: publicAccess(),
    query: InstallerQuery,
    responses: { 200: { contentType: 'text/x-shellscript', description: 'A bash script' } },
    errors: [error(400, '`url` is neither BASE_URL nor in INSTALL_ORIGINS')],
    handler: async ({ query }) => {
      const parameters = { ...query, runtime: query.runtime ?? 'claude_code' };
      const script = renderInstaller(await loadRelease(), address, parameters);
      return text(200, script, 'text/x-shellscript; charset=utf-8', { 'cache-control': 'no-store' });
    },
  }),
  route({
    name: 'get_sidecar_bundle',
    method: 'GET',
    path: '/install/sidecar.mjs',
    summary: "The sidecar bundle, as the installer's SHA-256 says",
    description: 'What the installer puts on the machine.',
    tags: ['Install'],
    access: publicAccess(),
    headers: ['ETag', 'Cache-Control'],
    responses: { 200: { contentType: 'text/javascript', description: 'The sidecar, one file' } },
    errors: [],
    handler: async () => {
      const { bundle, codeDigest } = await loadRelease();
      return bytes(bundle, 'text/javascript; charset=utf-8', {
        'cache-control': 'no-cache',
        etag: `"${codeDigest}"`,
      });
    },
  }),
];
