import { type Static, Type } from 'typebox';
import { RUNTIMES } from '../../../kernel/runtimes.js';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';

export const HelloBody = Named(
  'DeskHello',
  Closed({
    env_id: Type.String({ format: 'uuid', description: 'The desk of the installer.' }),
    hostname: Type.String({ maxLength: 255, description: 'Its own name.' }),
    installation_id: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description: 'Tells this machine from others, also after a new installation.',
    }),
  }),
);
export const HelloAnswer = Named(
  'DeskWelcome',
  Closed({
    env_id: Uuid,
    name: Type.String(),
    runtime: OneOf(RUNTIMES),
    workspace_path: Type.String(),
    mesh: Type.Boolean(),
  }),
);

export const StepBody = Named(
  'DeskStep',
  Closed({
    step: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Such as `packages`.',
    }),
    exit_code: Type.Optional(
      Nullable(Type.Integer({ minimum: -2147483648, maximum: 2147483647 }), {
        description: 'How it ended; 0 is well.',
      }),
    ),
    message: Type.Optional(
      Nullable(Type.String({ maxLength: 2000 }), { description: 'For a person to read.' }),
    ),
  }),
);
export const MeshBody = Named(
  'MeshKey',
  Closed({
    public_key: Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      rule: 'must be a WireGuard key: 32 bytes in base64',
      description: 'Its WireGuard key.',
    }),
  }),
);
export const MeshAnswer = Named(
  'MeshMembership',
  Closed({
    address: Nullable(Type.String()),
    server_public_key: Nullable(Type.String()),
    endpoint: Nullable(Type.String()),
    allowed_ips: Nullable(Type.String()),
    keepalive: Nullable(Type.Integer()),
  }),
);
export type MeshView = Static<typeof MeshAnswer>;

export const SidecarBody = Named(
  'DeskSidecar',
  Closed({
    sidecar_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Where the sidecar is reached.',
    }),
    version: Type.Optional(
      Nullable(Type.String({ maxLength: 100 }), { description: 'The version that runs.' }),
    ),
    code_digest: Type.Optional(
      Nullable(Type.String({ maxLength: 200 }), { description: 'The digest of its code.' }),
    ),
  }),
);
export const HeartbeatBody = Named('DeskHeartbeat', Closed({}));
export const Received = Named('Received', Closed({ received: Type.Literal(true) }));
