import { Type } from 'typebox';
import { Answer, CONTENT_TYPES, text } from '../../../platform/http/answer/answers.js';
import {
  deskAccess,
  error,
  memberAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { Closed, Named, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';
import { UsageInput } from '../budget/budget.schemas.js';
import { BuildUsage, buildParams, LogPage, LogQuery, LogSeq, STATUSES } from '../builds.schemas.js';
import { CheckFinish, CheckReport, CheckStart } from '../checks/checks.schemas.js';
import { BUNDLE, bundleBody, bundleRefusals, ReceivedCommits } from '../commits/commits.schemas.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { LogService } from '../log/log.service.js';
import { QuestionAsked, QuestionInput } from '../questions/questions.schemas.js';
import type { QuestionService } from '../questions/questions.service.js';
import { claimOf, deskWorker } from '../record/build-access.js';
import type { CheckService } from './checks.service.js';
import { FinishAnswer, FinishBody, LogReceived, StartAnswer, WorkBody, WorkOrders } from './desk.schemas.js';
import type { RunService } from './run.service.js';
import type { WorkService } from './work.service.js';

const BUILD = '/api/v1/desk/builds/{build_id}';
const CHECKS = `${BUILD}/checks`;
const tags: [string] = ['Desks'];
const access = deskAccess();
const params = {
  build_id: uuidParam('Build not found', { description: 'The build, as the order named it.' }),
};
const name = textParam(Type.String({ maxLength: 255 }), {
  description: 'The name of the check, URL-encoded.',
});
const missingBuild = error(404, 'Build not found');
const missingCheck = error(404, 'Build not found, or Check not found');
const repositoryAway = error(502, 'The repository is not reachable');

const ClaimLost = Named('ClaimLost', Closed({ error: Type.Literal('claim_lost'), message: Type.String() }));
const Gap = Closed({ error: Type.Literal('gap'), expected: Type.Integer(), message: Type.String() });

const refusedClaim = (schema: Parameters<typeof error>[2]) =>
  error(409, 'The claim is missing or dead, or the build is in another state', schema);
const claimRefused = refusedClaim(ClaimLost);
const pieceRefused = refusedClaim(Type.Union([ClaimLost, Gap]));
const commitsRefused = refusedClaim(
  Type.Union([Type.String(), Closed({ error: Type.String(), message: Type.String() })]),
);

const LARGEST_PIECE = 256 * 1024;
const logPiece = { contentType: 'text/plain', maxBytes: LARGEST_PIECE } as const;
const CheckFinished = Named('CheckFinished', Closed({ build_id: Uuid, status: OneOf(STATUSES) }));

async function readAll(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

export const deskRoutes = (services: {
  work: WorkService;
  run: RunService;
  log: LogService;
  commits: BuildCommits;
  checks: CheckService;
  questions: QuestionService;
}): Route[] => [...buildRoutes(services), ...checkRoutes(services.checks), ...commitRoutes(services)];

const buildRoutes = ({
  work,
  run,
  log,
  questions,
}: {
  work: WorkService;
  run: RunService;
  log: LogService;
  questions: QuestionService;
}): Route[] => [
  route({
    name: 'ask_for_work',
    method: 'POST',
    path: '/api/v1/desk/work',
    summary: 'Ask for work',
    description:
      'Answers as soon as there is an order, or with none after `wait_seconds`. `X-Guildhall-Proof` is the HMAC-SHA256 of nonce and body, with the key of the health check.',
    tags,
    access,
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
    path: `${BUILD}/start`,
    summary: 'Start a claimed build',
    description: 'Nothing may run before this call. May be repeated.',
    tags,
    access,
    params,
    responses: { 200: StartAnswer },
    errors: [missingBuild, claimRefused],
    handler: ({ caller, params: { build_id }, headers }) => run.start(caller, build_id, claimOf(headers)),
  }),
  route({
    name: 'append_build_log',
    method: 'PUT',
    path: `${BUILD}/log`,
    summary: 'Add a piece to the log of a build',
    description: 'Pieces come in order. Repeating a piece changes nothing.',
    tags,
    access,
    params,
    query: Type.Object({ seq: LogSeq }),
    rawBody: { ...logPiece, description: "The coder's output." },
    responses: { 200: LogReceived },
    errors: [
      missingBuild,
      pieceRefused,
      error(413, 'The piece is larger than 256 KiB, or the log has 250,000 pieces'),
    ],
    handler: async ({ caller, params: { build_id: buildId }, query: { seq }, headers, bytes }) =>
      log.append(caller, claimOf(headers), { buildId, seq, bytes: await readAll(bytes) }),
  }),
  route({
    name: 'report_build_usage',
    method: 'POST',
    path: `${BUILD}/usage`,
    summary: 'Report the usage of a running build',
    description: 'Takes totals, which never fall. May be repeated.',
    tags,
    access,
    params,
    body: UsageInput,
    responses: { 200: BuildUsage },
    errors: [missingBuild, claimRefused],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      run.reportUsage(caller, build_id, claimOf(headers), body),
  }),
  route({
    name: 'ask_build_question',
    method: 'POST',
    path: `${BUILD}/questions`,
    summary: 'Ask people a question of the coder',
    description:
      'The build waits for the answer, which comes as an order of `POST /work`. Repeating a key answers the same question.',
    tags,
    access,
    params,
    body: QuestionInput,
    responses: { 200: QuestionAsked },
    errors: [missingBuild, claimRefused],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      questions.ask(caller, build_id, claimOf(headers), body),
  }),
  route({
    name: 'finish_build',
    method: 'POST',
    path: `${BUILD}/finish`,
    summary: 'Report the outcome of a build',
    description: 'Send it after the log and the commits. May be repeated with the same body.',
    tags,
    access,
    params,
    body: FinishBody,
    responses: { 200: FinishAnswer },
    errors: [missingBuild, claimRefused, repositoryAway],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      run.finish(deskWorker(caller, claimOf(headers)), build_id, body),
  }),
];

const checkRoutes = (checks: CheckService): Route[] => [
  route({
    name: 'read_build_check_log',
    method: 'GET',
    path: '/api/v1/factory/builds/{build_id}/checks/{name}/log',
    summary: 'Read the log of a check',
    description: 'Works like read_build_log. When a check starts again, its log starts again too.',
    tags: ['Builds'],
    access: memberAccess(),
    params: { ...buildParams, name },
    query: LogQuery,
    responses: { 200: LogPage },
    errors: [missingCheck],
    handler: ({ caller, params: { build_id, name }, query }) =>
      checks.readLog(caller.brandId, build_id, name, query),
  }),
  route({
    name: 'start_build_checks',
    method: 'POST',
    path: `${CHECKS}/start`,
    summary: 'Start the claimed checks of a build',
    description: 'Nothing may run before this call. May be repeated.',
    tags,
    access,
    params,
    responses: { 200: CheckStart },
    errors: [missingCheck, claimRefused],
    handler: ({ caller, params: { build_id }, headers }) =>
      checks.start({ caller, buildId: build_id, claim: claimOf(headers) }),
  }),
  route({
    name: 'append_build_check_log',
    method: 'PUT',
    path: `${CHECKS}/{name}/log`,
    summary: 'Add a piece to the log of a check',
    description: 'Works like append_build_log.',
    tags,
    access,
    params: { ...params, name },
    query: Type.Object({ seq: LogSeq }),
    rawBody: { ...logPiece, description: "The check's output." },
    responses: { 200: LogReceived },
    errors: [missingCheck, pieceRefused, error(413, 'Too large, or too many pieces')],
    handler: async ({ caller, params: { build_id, name }, query: { seq }, headers, bytes }) => {
      const claimed = { caller, buildId: build_id, claim: claimOf(headers) };
      return checks.appendLog(claimed, name, seq, await readAll(bytes));
    },
  }),
  route({
    name: 'report_build_check',
    method: 'POST',
    path: `${CHECKS}/{name}`,
    summary: 'Report the status of a check',
    description: 'Shown while the checks run. Only the finish decides. May be repeated.',
    tags,
    access,
    params: { ...params, name },
    body: CheckReport,
    responses: { 200: CheckReport },
    errors: [missingCheck, claimRefused],
    handler: ({ caller, params: { build_id, name }, headers, body }) =>
      checks.report({ caller, buildId: build_id, claim: claimOf(headers) }, name, body),
  }),
  route({
    name: 'finish_build_checks',
    method: 'POST',
    path: `${CHECKS}/finish`,
    summary: 'Report the results of the checks of a build',
    description: 'Send it after the logs. May be repeated with the same body.',
    tags,
    access,
    params,
    body: CheckFinish,
    responses: { 200: CheckFinished },
    errors: [missingCheck, claimRefused],
    handler: ({ caller, params: { build_id }, headers, body }) =>
      checks.finish({ caller, buildId: build_id, claim: claimOf(headers) }, body),
  }),
];

const commitRoutes = ({ commits, checks }: { commits: BuildCommits; checks: CheckService }): Route[] => [
  route({
    name: 'get_build_base',
    method: 'GET',
    path: `${BUILD}/base`,
    summary: 'Fetch the commit that a build starts from',
    description:
      'A git bundle with base_sha as refs/heads/base. With the claim of a check, it holds head_sha instead.',
    tags,
    access,
    params,
    responses: { 200: { contentType: BUNDLE, description: 'A git bundle' } },
    errors: [commitsRefused, repositoryAway, error(504, 'No answer within 30 seconds')],
    handler: async ({ caller, params, headers, signal }) => {
      const claim = claimOf(headers);
      const checked = await checks.findCheckout({ caller, buildId: params.build_id, claim });
      const chunks = checked
        ? await commits.readHead(checked.build, checked.sha, signal)
        : await commits.readBase(deskWorker(caller, claim), params.build_id, signal);
      return new Answer(200, { kind: 'stream', chunks, contentType: BUNDLE });
    },
  }),
  route({
    name: 'put_build_commits',
    method: 'PUT',
    path: `${BUILD}/commits`,
    summary: 'Submit the commits of a build',
    description: 'A git bundle of the branch alone, on top of base_sha. The last one counts.',
    tags,
    access,
    params,
    rawBody: bundleBody,
    responses: { 200: ReceivedCommits },
    errors: [commitsRefused, ...bundleRefusals],
    handler: ({ caller, params, headers, bytes }) =>
      commits.receive(deskWorker(caller, claimOf(headers)), params.build_id, bytes),
  }),
];
