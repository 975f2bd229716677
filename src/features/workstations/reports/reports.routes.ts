import { deskAccess, error, type Route, route } from '../../../http/declaration/route.js';
import {
  HeartbeatBody,
  HelloAnswer,
  HelloBody,
  MeshAnswer,
  MeshBody,
  Received,
  SidecarBody,
  StepBody,
} from './reports.schemas.js';
import type { DeskReports } from './reports.service.js';

/** What a desk says with its own token. */
export const deskReportRoutes = (reports: DeskReports): Route[] => [
  route({
    name: 'report_desk_hello',
    method: 'POST',
    path: '/api/v1/desk/hello',
    summary: 'The installer runs on a machine',
    description:
      'The first report of an installer: it ties the machine to the desk and answers what to install.',
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
    name: 'report_desk_step',
    method: 'POST',
    path: '/api/v1/desk/step',
    summary: 'Progress of the installer',
    description:
      'Shows in the onboarding checklist of the desk; an `exit_code` other than 0 marks the step as failed.',
    tags: ['Desks'],
    access: deskAccess(),
    body: StepBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.step(caller, body),
  }),
  route({
    name: 'join_desk_mesh',
    method: 'POST',
    path: '/api/v1/desk/mesh',
    summary: 'Join the mesh',
    description:
      'Answers the address and peer of the desk in the private network; all null when the service has no mesh.',
    tags: ['Desks'],
    access: deskAccess(),
    body: MeshBody,
    responses: { 200: MeshAnswer },
    errors: [error(409, 'The key is in use by another desk'), error(503, 'The mesh has no free address')],
    handler: ({ caller, body }) => reports.joinMesh(caller, body.public_key),
  }),
  route({
    name: 'report_desk_sidecar',
    method: 'POST',
    path: '/api/v1/desk/sidecar',
    summary: 'The sidecar runs and can be checked',
    description: 'Where the sidecar listens; the service checks it from then on.',
    tags: ['Desks'],
    access: deskAccess(),
    body: SidecarBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller, body }) => reports.registerSidecar(caller, body.sidecar_url),
  }),
  route({
    name: 'report_desk_alive',
    method: 'POST',
    path: '/api/v1/desk/heartbeat',
    summary: 'The desk is alive',
    description:
      'The moment shows as `last_contact_at` of the environment; a desk that stays silent is checked and then counted as dormant.',
    tags: ['Desks'],
    access: deskAccess(),
    body: HeartbeatBody,
    responses: { 200: Received },
    errors: [],
    handler: ({ caller }) => reports.heartbeat(caller),
  }),
];
