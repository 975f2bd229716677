import { bytes } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  sessionOrOperatorAccess,
  textParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import {
  AlreadyHiredDetail,
  CanceledNowSchema,
  CanceledSchema,
  EmployeesSchema,
  GrantsSchema,
  HireBodySchema,
  HiredSchema,
  HireSchema,
  HiresSchema,
  ListQuerySchema,
} from './hires.schemas.js';
import type { HireService } from './hires.service.js';
import { drawPortrait } from './hires.views.js';

const BASE = '/api/v1/employees';
const tags: [string] = ['Hires'];

const hireParam = {
  hire_id: uuidParam('Hire not found', {
    description: 'The hire, as list_hires shows it.',
  }),
};
const foreign = error(403, 'The hire belongs to another brand');
const missing = error(404, 'Not found');
const over = error(409, 'The hire is not in a cancellable state');

const PORTRAIT_LIFETIME = 'private, max-age=3600';

export function hireRoutes(hires: HireService): Route[] {
  return [...catalogRoutes(hires), ...hiringRoutes(hires), ...gatewayRoutes(hires)];
}

function catalogRoutes(hires: HireService): Route[] {
  return [
    route({
      name: 'list_employees',
      method: 'GET',
      path: BASE,
      summary: 'List the employees that can be hired',
      description: 'Lists published employees by name. `existing_hire_id` is your live hire of the employee.',
      tags,
      access: sessionOrOperatorAccess(),
      responses: { 200: EmployeesSchema },
      errors: [],
      handler: ({ caller }) => hires.listEmployees(caller),
    }),
    route({
      name: 'get_employee_portrait',
      method: 'GET',
      path: `${BASE}/{profile_id}/portrait`,
      summary: "Get an employee's portrait",
      description: 'Returns a drawing that is always the same for an employee.',
      tags,
      access: sessionOrOperatorAccess(),
      params: {
        profile_id: uuidParam('Employee not found', {
          description: 'As list_employees shows it.',
        }),
      },
      headers: ['Cache-Control'],
      responses: { 200: { contentType: 'image/svg+xml', description: 'The portrait' } },
      errors: [error(404, 'Not found')],
      async handler({ params }) {
        const { profile_id, name } = await hires.getEmployee(params.profile_id);
        return bytes(Buffer.from(drawPortrait(profile_id, name)), 'image/svg+xml', {
          'cache-control': PORTRAIT_LIFETIME,
          'content-security-policy': "default-src 'none'",
        });
      },
    }),
  ];
}

function hiringRoutes(hires: HireService): Route[] {
  return [
    route({
      name: 'hire_employee',
      method: 'POST',
      path: `${BASE}/{profile_id}/hire`,
      creates: {},
      summary: 'Hire an employee',
      description:
        'A session hires for its workspace; the admin key, or a staff session, for `brand_id`. The agent is set up in the background: poll the hire or open `onboarding_url`.',
      tags,
      access: sessionOrOperatorAccess(),
      // The service validates the id: a workspace without a subscription gets its 402 first, even for an
      // invalid id.
      params: {
        profile_id: textParam(undefined, {
          description: 'As list_employees shows it.',
        }),
      },
      body: HireBodySchema,
      responses: { 200: HiredSchema },
      errors: [
        error(402, 'Self-serve, and the subscription is not active'),
        error(404, 'No such published employee; `Brand not found` for a grant'),
        error(409, 'The brand already holds an active hire of it', AlreadyHiredDetail),
        error(422, 'A grant without `brand_id`, or an employee without a template'),
        error(429, '5 hires per brand and hour, 50 grants per admin and hour'),
      ],
      handler: ({ caller, params, body }) => hires.hire(caller, params.profile_id, body),
    }),
    route({
      name: 'list_hires',
      method: 'GET',
      path: `${BASE}/hires`,
      pagination: { style: 'page', parameter: 'page', size: 'limit', items: 'hires' },
      summary: 'List hires',
      description: 'Newest first. With the admin key, lists the hires of every workspace.',
      tags,
      access: sessionOrOperatorAccess(),
      query: ListQuerySchema,
      responses: { 200: HiresSchema },
      errors: [],
      handler: ({ caller, query }) => hires.listHires(caller, query),
    }),
    route({
      name: 'get_hire',
      method: 'GET',
      path: `${BASE}/hires/{hire_id}`,
      summary: 'Get a hire',
      description: 'Returns the `steps` of its onboarding and the `error` of a failed attempt.',
      tags,
      access: sessionOrOperatorAccess(),
      params: hireParam,
      responses: { 200: HireSchema },
      errors: [foreign, missing],
      handler: ({ caller, params }) => hires.getHire(caller, params.hire_id),
    }),
    route({
      name: 'cancel_hire',
      method: 'POST',
      path: `${BASE}/hires/{hire_id}/cancel`,
      creates: {},
      summary: 'Cancel a hire at the end of its period',
      description: 'The agent keeps running until `effective_at`.',
      tags,
      access: sessionOrOperatorAccess(),
      params: hireParam,
      responses: { 200: CanceledSchema },
      errors: [foreign, missing, over],
      handler: ({ caller, params }) => hires.cancel(caller, params.hire_id),
    }),
    route({
      name: 'cancel_hire_now',
      method: 'POST',
      path: `${BASE}/hires/{hire_id}/cancel-immediate`,
      creates: {},
      summary: 'Cancel a hire now',
      description:
        "Disables installs that no other hire needs and releases a builder's desk. The agent stays registered and can be messaged.",
      tags,
      access: sessionOrOperatorAccess(),
      params: hireParam,
      responses: { 200: CanceledNowSchema },
      errors: [foreign, missing, over],
      handler: ({ caller, params }) => hires.cancelNow(caller, params.hire_id),
    }),
  ];
}

function gatewayRoutes(hires: HireService): Route[] {
  return [
    route({
      name: 'get_agent_grants',
      method: 'GET',
      path: '/api/v1/gateway/agents/{agent_id}/grants',
      summary: "Get an agent's tool grants",
      description: 'For gateways. The answer is valid until `cached_until`.',
      tags,
      access: memberAccess(),
      params: {
        agent_id: textParam(undefined, { description: 'The agent, as list_agents shows it.' }),
      },
      responses: { 200: GrantsSchema },
      errors: [error(404, 'Not found')],
      handler: ({ caller, params }) => hires.readGrants(caller.brandId, params.agent_id),
    }),
  ];
}
