import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { CARD_WORDS, CardId } from '../../boards/index.js';
import { PullRequestInput, PullRequestView } from '../forges.schemas.js';
import type { PullRequestService } from './pull-requests.service.js';

const PATH = '/api/v1/board/tasks/{task_id}/pull-request';
const tags: [string] = ['Boards'];
const params = {
  task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
};
const missing = error(404, 'Not found');

/** The pull request of a card. */
export function pullRequestRoutes(pullRequests: PullRequestService): Route[] {
  return [
    route({
      name: 'get_pull_request',
      method: 'GET',
      path: PATH,
      summary: "Read a card's pull request",
      description: 'As its host last told: state, checks, reviews and comments.',
      tags,
      access: memberAccess(),
      params,
      responses: { 200: PullRequestView },
      errors: [missing],
      handler: ({ caller, params: { task_id } }) => pullRequests.get(caller, task_id),
    }),
    route({
      name: 'tie_pull_request',
      method: 'POST',
      path: PATH,
      summary: 'Tie a pull request that somebody opened to a card',
      description: 'By its `url` or `number`; the card follows it from now on.',
      tags,
      access: memberAccess({ beyondReading: true }),
      params,
      body: PullRequestInput,
      responses: { 200: PullRequestView },
      errors: [missing, error(409, 'It is tied to another card'), error(502, 'The host cannot be asked')],
      prepare: ({ caller, params: { task_id }, body }) => pullRequests.look(caller, task_id, body),
      handler: ({ caller, params: { task_id }, body, prepared }) =>
        pullRequests.tie(caller, task_id, body, prepared),
    }),
  ];
}
