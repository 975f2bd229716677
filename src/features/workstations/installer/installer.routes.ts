import { Type } from 'typebox';
import { RUNTIMES } from '../../../kernel/plans.js';
import { bytes, text } from '../../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { Described } from '../../../platform/http/declaration/schemas.js';
import { loadSidecarRelease, renderInstaller, type ServiceAddress } from './installer.js';

const InstallerQuery = Type.Object({
  pat: Type.String({
    minLength: 1,
    maxLength: 512,
    pattern: '^[\\x21-\\x7e]+$',
    rule: 'must be the token of a desk',
    description: 'Token of the desk.',
  }),
  env_id: Type.String({ format: 'uuid', description: 'ID of the desk.' }),
  url: Type.String({ description: 'Address at which the desk reaches this service.' }),
  runtime: Type.Optional(
    Described(
      'Coding agent of the desk.',
      Type.Unsafe<(typeof RUNTIMES)[number]>(Type.String({ enum: [...RUNTIMES], default: 'claude_code' })),
    ),
  ),
});

/** Public, because the script does not reveal whether its token is valid. */
export const installRoutes = (address: ServiceAddress): Route[] => [
  route({
    name: 'get_installer',
    method: 'GET',
    path: '/install/sidecar',
    summary: 'Get the installer script',
    description: "The script that a desk's install command runs, with its parameters filled in.",
    tags: ['Install'],
    access: publicAccess(),
    query: InstallerQuery,
    responses: { 200: { contentType: 'text/x-shellscript', description: 'A bash script' } },
    errors: [error(400, '`url` is neither BASE_URL nor in INSTALL_ORIGINS')],
    handler: async ({ query }) => {
      const parameters = { ...query, runtime: query.runtime ?? 'claude_code' };
      const script = renderInstaller(await loadSidecarRelease(), address, parameters);
      return text(200, script, 'text/x-shellscript; charset=utf-8', { 'cache-control': 'no-store' });
    },
  }),
  route({
    name: 'get_sidecar_bundle',
    method: 'GET',
    path: '/install/sidecar.mjs',
    summary: 'Get the sidecar bundle',
    description: 'The file that the installer puts on the machine, with the SHA-256 that the script expects.',
    tags: ['Install'],
    access: publicAccess(),
    headers: ['ETag', 'Cache-Control'],
    responses: { 200: { contentType: 'text/javascript', description: 'The sidecar as one file' } },
    errors: [],
    handler: async () => {
      const { bundle, codeDigest } = await loadSidecarRelease();
      return bytes(bundle, 'text/javascript; charset=utf-8', {
        'cache-control': 'no-cache',
        etag: `"${codeDigest}"`,
      });
    },
  }),
];
