import { Type } from 'typebox';
import { CONTENT_TYPES, text } from '../../../platform/http/answer/answers.js';
import { deskAccess, error, type Route, route, uuidParam } from '../../../platform/http/declaration/route.js';
import { Closed, Named } from '../../../platform/http/declaration/schemas.js';
import { LogSeq } from '../builds.schemas.js';
import type { LogService } from '../log/log.service.js';
import { claimOf } from '../record/claim-check.js';
import { deskWorker } from '../record/worker.js';
import { FinishAnswer, FinishBody, LogReceived, StartAnswer, WorkBody, WorkOrders } from './desk.schemas.js';
import type { RunService } from './run.service.js';
import type { WorkService } from './work.service.js';

interface DeskRooms {
  work: WorkService;
  run: RunService;
  log: LogService;
}

const BASE = '/api/v1/desk';
const tags: [string] = ['Desks'];
export const deskBuildParams = {
  build_id: uuidParam('Build not found', { description: 'The build, as the order named it.' }),
};
const missing = error(404, 'Build not found');

const ClaimLost = Named('ClaimLost', Closed({ error: Type.Literal('claim_lost'), message: Type.String() }));
export const Gap = Closed({ error: Type.Literal('gap'), expected: Type.Integer(), message: Type.String() });

/** Everything about a build is fenced by its claim. */
export const claimRefused = (more: (typeof Gap)[] = []) =>
  error(
    409,
    'The claim is missing or dead, or this does not fit to where the build is',
    more.length > 0 ? Type.Union([ClaimLost, ...more]) : ClaimLost,
  );

export const LARGEST_PIECE = 256 * 1024;

export const deskBuildRoutes = ({ work, run, log }: DeskRooms): Route[] => [
  route({
    name: 'ask_for_work',
    method: 'POST',
    path: `${BASE}/work`,
    summary: 'Ask for work',
    description:
      'Answers as soon as there is an order, else with none after the wait. `X-Guildhall-Proof`: HMAC-SHA256 of nonce and body, keyed as for health.',
    tags,
    access: deskAccess(),
    body: WorkBody,
    responses: { 200: WorkOrders },
    errors: [],
    handler: async ({ caller, body, signal, releasePlace }) => {
      releasePlace();
      const answer = await work.ask(caller, body, signal);
      return text(200, answer.text, CONTENT_TYPES.json, { 'x-guildhall-proof': answer.proof });
    },
  }),
  route({
    name: 'start_build',
    method: 'POST',
    path: `${BASE}/builds/{build_id}/start`,
    summary: 'Start a build that was claimed',
    description: 'Nothing may run before this call. May be repeated.',
    tags,
    access: deskAccess(),
    params: deskBuildParams,
    responses: { 200: StartAnswer },
    errors: [missing, claimRefused()],
    handler: ({ caller, params: { build_id }, headers }) => run.start(caller, build_id, claimOf(headers)),
  }),
  route({
    name: 'append_build_log',
    method: 'PUT',
    path: `${BASE}/builds/{build_id}/log`,
    summary: 'Add a piece to the log of a build',
    description: 'In order; a piece that is there already is not written again.',
    tags,
    access: deskAccess(),
    params: deskBuildParams,
    query: Type.Object({ seq: LogSeq }),
    rawBody: { contentType: 'text/plain', maxBytes: LARGEST_PIECE, description: 'What the coder printed.' },
    responses: { 200: LogReceived },
    errors: [
      missing,
      claimRefused([Gap]),
      error(413, 'The piece is larger than 256 KiB, or the log has 250,000 pieces'),
    ],
    handler: async ({ caller, params: { build_id: buildId }, query: { seq }, headers, bytes }) => {
      const parts: Buffer[] = [];
      for await (const part of bytes) parts.push(part);
      return log.append(caller, claimOf(headers), { buildId, seq, bytes: Buffer.concat(parts) });
    },
  }),
  route({
    name: 'finish_build',
    method: 'POST',
    path: `${BASE}/builds/{build_id}/finish`,
    summary: 'Say how a build ended',
    description: 'After its log and commits; may be repeated with the same body.',
    tags,
    access: deskAccess(),
    params: deskBuildParams,
    body: FinishBody,
    responses: { 200: FinishAnswer },
    errors: [missing, claimRefused(), error(502, 'The repository is not reachable')],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      run.finish(deskWorker(caller, claimOf(headers)), build_id, body),
  }),
];
