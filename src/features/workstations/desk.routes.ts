import { bytes, text } from '../../http/answers.js';
import { deskAccess, error, publicAccess, type Route, route } from '../../http/route.js';
import type { DeskReportService } from './desk-reports.service.js';
import { renderInstaller, type ServiceAddress } from './installer.js';
import type { SidecarRelease } from './sidecar-release.js';
import {
  HeartbeatBody,
  HelloAnswer,
  HelloBody,
  InstallerQuery,
  MeshAnswer,
  MeshBody,
  Received,
  SidecarBody,
  StepBody,
} from './workstations.schemas.js';

/** What a desk says with its own token. */
export const deskReportRoutes = (reports: DeskReportService): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/desk/hello',
    summary: 'The installer runs on a machine',
    tags: ['Desks'],
    access: deskAccess(),
    body: HelloBody,
    responses: { 200: HelloAnswer },
    errors: [
      error(403, "The token is another desk's"),
      error(409, 'The machine already hosts another desk of the workspace'),
    ],
    handler: ({ caller, body }) => reports.hello(caller, body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/desk/step',
    summary: 'Progress of the installer',
    tags: ['Desks'],
    access: deskAccess(),
    body: StepBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.step(caller, body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/desk/mesh',
    summary: 'Join the mesh',
    tags: ['Desks'],
    access: deskAccess(),
    body: MeshBody,
    responses: { 200: MeshAnswer },
    errors: [error(409, 'The key is in use by another desk'), error(503, 'The mesh has no free address')],
    handler: ({ caller, body }) => reports.joinMesh(caller, body.public_key),
  }),
  route({
    method: 'POST',
    path: '/api/v1/desk/sidecar',
    summary: 'The sidecar runs and can be checked',
    tags: ['Desks'],
    access: deskAccess(),
    body: SidecarBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.registerSidecar(caller, body.sidecar_url),
  }),
  route({
    method: 'POST',
    path: '/api/v1/desk/heartbeat',
    summary: 'The desk is alive',
    tags: ['Desks'],
    access: deskAccess(),
    body: HeartbeatBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller }) => reports.heartbeat(caller),
  }),
];

/** Public: the script says nothing about whether the token in it is any good. */
export const installRoutes = (
  address: ServiceAddress,
  loadRelease: () => Promise<SidecarRelease>,
): Route[] => [
  route({
    method: 'GET',
    path: '/install/sidecar',
    summary: 'The installer, with its parameters inside',
    tags: ['Install'],
    access: publicAccess(),
    query: InstallerQuery,
    responses: { 200: { contentType: 'text/x-shellscript', description: 'A bash script' } },
    errors: [],
    handler: async ({ query }) => {
      const parameters = { ...query, runtime: query.runtime ?? 'claude_code' };
      const script = renderInstaller(await loadRelease(), address, parameters);
      return text(200, script, 'text/x-shellscript; charset=utf-8', { 'cache-control': 'no-store' });
    },
  }),
  route({
    method: 'GET',
    path: '/install/sidecar.mjs',
    summary: 'The sidecar bundle; its SHA-256 is inside the installer',
    tags: ['Install'],
    access: publicAccess(),
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
