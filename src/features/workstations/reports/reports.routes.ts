import { Type } from 'typebox';
import { RUNTIMES } from '../../../kernel/plans.js';
import { deskAccess, error, type Route, route } from '../../../platform/http/declaration/route.js';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';
import type { DeskReports } from './reports.service.js';

const HelloBody = Named(
  'DeskHello',
  Closed({
    env_id: Type.String({ format: 'uuid', description: 'ID of the desk.' }),
    hostname: Type.String({ maxLength: 255, description: 'Host name of the machine.' }),
    installation_id: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description: 'Identifies the machine, also after a reinstallation.',
    }),
  }),
);
const HelloAnswer = Named(
  'DeskWelcome',
  Closed({
    env_id: Uuid,
    name: Type.String(),
    runtime: OneOf(RUNTIMES),
    workspace_path: Type.String(),
    mesh: Type.Boolean(),
  }),
);

const StepBody = Named(
  'DeskStep',
  Closed({
    step: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Name of the step, such as `packages`.',
    }),
    exit_code: Type.Optional(
      Nullable(Type.Integer({ minimum: -2147483648, maximum: 2147483647 }), {
        description: 'Exit code of the step; 0 means success, null that it runs.',
      }),
    ),
    message: Type.Optional(
      Nullable(Type.String({ maxLength: 2000 }), { description: 'Text for people, such as the error.' }),
    ),
  }),
);
const MeshBody = Named(
  'MeshKey',
  Closed({
    public_key: Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      rule: 'must be a WireGuard key: 32 bytes in base64',
      description: 'Public WireGuard key of the machine.',
    }),
  }),
);
const MeshAnswer = Named(
  'MeshMembership',
  Closed({
    address: Nullable(Type.String()),
    server_public_key: Nullable(Type.String()),
    endpoint: Nullable(Type.String()),
    allowed_ips: Nullable(Type.String()),
    keepalive: Nullable(Type.Integer()),
  }),
);

const SidecarBody = Named(
  'DeskSidecar',
  Closed({
    sidecar_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'URL of the sidecar.',
    }),
    version: Type.Optional(
      Nullable(Type.String({ maxLength: 100 }), { description: 'Version of the sidecar.' }),
    ),
    code_digest: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), { description: 'SHA-256 of the sidecar code.' }),
    ),
  }),
);
const HeartbeatBody = Named('DeskHeartbeat', Closed({}));
const Received = Named('Received', Closed({ received: Type.Literal(true) }));

const deskReport = {
  method: 'POST' as const,
  tags: ['Desks'] as [string],
  access: deskAccess(),
  urgent: true as const,
};

export const deskReportRoutes = (reports: DeskReports): Route[] => [
  route({
    ...deskReport,
    name: 'report_desk_hello',
    path: '/api/v1/desk/hello',
    summary: 'Report the start of the installer',
    description: 'The first report. Binds the machine to the desk and returns what to install.',
    body: HelloBody,
    responses: { 200: HelloAnswer },
    errors: [
      error(403, "The token is another desk's"),
      error(409, 'The machine already hosts another desk of the workspace'),
    ],
    handler: ({ caller, body }) => reports.hello(caller, body),
  }),
  route({
    ...deskReport,
    name: 'report_desk_step',
    path: '/api/v1/desk/step',
    summary: 'Report progress of the installer',
    description: 'Shown in the onboarding. An `exit_code` other than 0 is a failure.',
    body: StepBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.step(caller, body),
  }),
  route({
    ...deskReport,
    name: 'join_desk_mesh',
    path: '/api/v1/desk/mesh',
    summary: 'Join the mesh',
    description: "Returns the desk's mesh address and the hub. All fields are null without a mesh.",
    body: MeshBody,
    responses: { 200: MeshAnswer },
    errors: [error(409, 'The key is in use by another desk'), error(503, 'The mesh has no free address')],
    handler: ({ caller, body }) => reports.joinMesh(caller, body.public_key),
  }),
  route({
    ...deskReport,
    name: 'report_desk_sidecar',
    path: '/api/v1/desk/sidecar',
    summary: 'Register the sidecar of a desk',
    description: 'The service checks the sidecar at this address from now on.',
    body: SidecarBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.registerSidecar(caller, body.sidecar_url),
  }),
  route({
    ...deskReport,
    name: 'report_desk_alive',
    path: '/api/v1/desk/heartbeat',
    summary: 'Report a heartbeat',
    description: 'Updates `last_contact_at`. A desk without contact for two weeks is dormant.',
    body: HeartbeatBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller }) => reports.heartbeat(caller),
  }),
];
