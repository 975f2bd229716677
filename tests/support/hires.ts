import { ADMIN_KEY, type World } from './app.js';

type Request = Parameters<World['inject']>[0];
type Response = Awaited<ReturnType<World['inject']>>;

export interface HireAnswer {
  hire_id: string;
  status: string;
  onboarding_url: string;
}

export interface HireRecord extends HireAnswer {
  profile_id: string;
  brand_id: number;
  agent_id: string | null;
  workstation_id: string | null;
  current_period_end: string;
  cancel_at_period_end: boolean;
  effective_at: string | null;
  created_at: string;
  comp_reason: string | null;
  error: string | null;
  steps: { key: string; title: string; state: string; reason: string | null; done: boolean }[];
}

export interface Tool {
  package: string;
  enabled: boolean;
}

const ADMIN = { 'x-admin-key': ADMIN_KEY };
const BASE = '/api/v1/employees';

export function hireWorld(world: Pick<World, 'operator' | 'inject' | 'runJob'>) {
  let employees = 0;
  const asCaller = (caller: string | object) => (typeof caller === 'string' ? { cookie: caller } : caller);

  const hires = {
    admin: ADMIN,

    employee: (fields: Record<string, unknown> = {}) =>
      world.operator<{ profile_id: string; name: string }>('POST', '/catalog', {
        name: `Employee ${++employees}`,
        template: { runtime: 'claude_code', instructions: 'Be of use.', packages: ['mail', 'calendar'] },
        ...fields,
      }),

    hire: (caller: string | object, profileId: string, payload?: Request['payload']): Promise<Response> =>
      world.inject({
        method: 'POST',
        url: `${BASE}/${profileId}/hire`,
        headers: asCaller(caller) as Record<string, string>,
        payload: payload ?? {},
      }),

    read: (caller: string | object, hireId: string): Promise<Response> =>
      world.inject({ url: `${BASE}/hires/${hireId}`, headers: asCaller(caller) as Record<string, string> }),

    async record(caller: string | object, hireId: string): Promise<HireRecord> {
      return (await hires.read(caller, hireId)).json();
    },

    cancel: (caller: string | object, hireId: string, verb: 'cancel' | 'cancel-immediate' = 'cancel') =>
      world.inject({
        method: 'POST',
        url: `${BASE}/hires/${hireId}/${verb}`,
        headers: asCaller(caller) as Record<string, string>,
      }),

    grants: (bearer: object, agentId: string): Promise<Response> =>
      world.inject({
        url: `/api/v1/gateway/agents/${agentId}/grants`,
        headers: bearer as Record<string, string>,
      }),

    build: () => world.runJob('hire-provision'),
    reconcile: () => world.runJob('hire-reconcile'),

    /** Creates a hire, builds it, and returns its record. */
    async active(caller: string, profileId: string): Promise<HireRecord & { agent_id: string }> {
      const answer = await hires.hire(caller, profileId);
      if (answer.statusCode !== 200) throw new Error(`hire: ${answer.statusCode} ${answer.body}`);
      await hires.build();
      const record = await hires.record(caller, answer.json<HireAnswer>().hire_id);
      if (record.status !== 'active') throw new Error(`not active: ${JSON.stringify(record)}`);
      return record as HireRecord & { agent_id: string };
    },
  };
  return hires;
}
