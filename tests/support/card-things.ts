import type { World } from './app.js';
import { hireWorld } from './hires.js';

interface Owner {
  brand: { brand_id: number };
  bearer: Record<string, string>;
  cookie: string;
}

/** Creates the objects that a card can reference. */
export function thingsOf(world: World, { brand, bearer, cookie }: Owner) {
  let made = 0;
  const post = async (url: string, headers: Record<string, string>, payload: object) => {
    const response = await world.inject({ method: 'POST', url, headers, payload });
    if (response.statusCode >= 300) throw new Error(`POST ${url}: ${response.statusCode} ${response.body}`);
    return response.json();
  };

  return {
    project: async (): Promise<string> =>
      (await post('/api/v1/projects', bearer, { name: `Project ${++made}` })).project_id,

    environment: async (): Promise<string> =>
      (await post('/api/v1/workstations', { cookie }, { name: `Desk ${++made}` })).workstation_id,

    async hire(): Promise<string> {
      const hires = hireWorld(world);
      const { profile_id } = await hires.employee();
      return (await hires.hire(cookie, profile_id)).json().hire_id;
    },

    /** Creates an agent of this workspace or another. Null means the platform. */
    async agent(owner: number | null = brand.brand_id): Promise<string> {
      const agent_id = `Agent_${brand.brand_id}-${++made}`;
      await world.operator('POST', '/agents', { agent_id, name: agent_id, brand_id: owner });
      return agent_id;
    },
  };
}

export type Things = ReturnType<typeof thingsOf>;
