import {
  error,
  memberAccess,
  operatorAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { BudgetInput, BudgetView, ModelPrices, SpendQuery, SpendReport } from './budget.schemas.js';
import type { BudgetService } from './budgets.service.js';
import type { PriceService } from './prices.service.js';
import type { SpendService } from './spend.service.js';

interface BudgetServices {
  budgets: BudgetService;
  prices: PriceService;
  spend: SpendService;
}

const tags: [string] = ['Builds'];

export const budgetRoutes = ({ budgets, prices, spend }: BudgetServices): Route[] => [
  ...boundRoutes(budgets),
  route({
    name: 'get_spend',
    method: 'GET',
    path: '/api/v1/factory/spend',
    summary: 'Get the cost of builds',
    description:
      'By day, or the 1,000 that cost most; `total` counts all. A build counts on the day it first cost.',
    tags,
    access: memberAccess(),
    query: SpendQuery,
    responses: { 200: SpendReport },
    errors: [error(422, 'No such day, or more than 366 days')],
    handler: ({ caller, query }) => spend.report(caller.brandId, query),
  }),
  route({
    name: 'list_prices',
    method: 'GET',
    path: '/api/v1/factory/prices',
    summary: 'Get the prices of models',
    description: 'Used when a coder reports tokens but no cost.',
    tags,
    access: memberAccess(),
    responses: { 200: ModelPrices },
    errors: [],
    handler: () => prices.listPrices(),
  }),
  route({
    name: 'set_prices',
    method: 'PUT',
    path: '/api/v1/admin/prices',
    summary: 'Say what models cost',
    description: 'All prices from now on; what was worked out stays.',
    tags: ['Operator'],
    access: operatorAccess(),
    body: ModelPrices,
    responses: { 200: ModelPrices },
    errors: [error(422, 'A price is there twice')],
    handler: ({ body }) => prices.setPrices(body),
  }),
];

function boundRoutes(budgets: BudgetService): Route[] {
  const project = {
    params: {
      project_id: uuidParam('Project not found', { description: 'The project.' }),
    },
    path: '/api/v1/projects/{project_id}/budget',
    errors: [error(404, 'Project not found')],
  };
  const agent = {
    params: { agent_id: textParam(undefined, { description: 'The agent.' }) },
    path: '/api/v1/memory/agents/{agent_id}/budget',
    errors: [error(404, 'Agent not found')],
  };
  const reads = { method: 'GET', tags, access: memberAccess(), responses: { 200: BudgetView } } as const;
  const writes = {
    method: 'PUT',
    tags,
    access: memberAccess({ role: 'admin' }),
    body: BudgetInput,
    responses: { 200: BudgetView },
  } as const;
  const description = 'With what was spent of it.';
  return [
    route({
      ...reads,
      ...project,
      name: 'get_project_budget',
      summary: 'Read the budget of a project',
      description,
      handler: ({ caller, params: { project_id: subject } }) =>
        budgets.getBudget(caller, { scope: 'project', subject }),
    }),
    route({
      ...writes,
      ...project,
      name: 'set_project_budget',
      summary: 'Bound what a project may spend',
      description,
      handler: ({ caller, params: { project_id: subject }, body }) =>
        budgets.setBudget(caller, { scope: 'project', subject }, body),
    }),
    route({
      ...reads,
      ...agent,
      name: 'get_agent_budget',
      summary: 'Read the budget of an agent',
      description,
      handler: ({ caller, params: { agent_id: subject } }) =>
        budgets.getBudget(caller, { scope: 'agent', subject }),
    }),
    route({
      ...writes,
      ...agent,
      name: 'set_agent_budget',
      summary: 'Bound what an agent may spend',
      description,
      handler: ({ caller, params: { agent_id: subject }, body }) =>
        budgets.setBudget(caller, { scope: 'agent', subject }, body),
    }),
  ];
}
