import type { InjectOptions } from 'fastify';
import { SCOPES, type Scope } from '../../src/kernel/access.js';

export const ADMIN_KEY = 'test-admin-key';
export const PASSWORD = 'correct horse battery';

export interface TestBrand {
  brand_id: number;
  name: string;
}

export interface TestPerson {
  user_id: number;
  email: string;
  full_name: string;
}

/** The fields shared by answers of `inject` and answers over a socket. */
export interface PlainAnswer {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
  rawPayload: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: as Fastify's own answers have it
  json<T = any>(): T;
}

/** Helpers for people, workspaces and jobs of a service, with any way to send requests. */
export function worldCalls<Answer extends PlainAnswer>(
  inject: (request: InjectOptions) => Promise<Answer>,
  prefix = 'person',
) {
  let people = 0;

  async function operator<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
  ): Promise<T> {
    const response = await inject({
      method,
      url: `/api/v1/admin${path}`,
      headers: { 'x-admin-key': ADMIN_KEY },
      payload,
    });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${path}: ${response.statusCode} ${response.body}`);
    return (response.body ? response.json() : undefined) as T;
  }

  const world = {
    operator,

    brand: (fields: Record<string, unknown> = {}) =>
      operator<TestBrand>('POST', '/brands', {
        name: `Brand ${++people}`,
        scope_ceiling: [...SCOPES],
        ...fields,
      }),

    person: (fields: Record<string, unknown> = {}) => {
      people += 1;
      return operator<TestPerson>('POST', '/users', {
        email: `${prefix}${people}@example.test`,
        full_name: `Person ${people}`,
        password: PASSWORD,
        ...fields,
      });
    },

    async member(
      brand: TestBrand,
      fields: { role?: 'admin' | 'member'; position?: string | null; person?: TestPerson } = {},
    ): Promise<TestPerson> {
      const { person = await world.person(), ...membership } = fields;
      await operator('PUT', `/brands/${brand.brand_id}/members/${person.user_id}`, {
        role: 'member',
        ...membership,
      });
      return person;
    },

    async token(
      brand: TestBrand,
      person: TestPerson,
      scopes: Scope[] = [...SCOPES],
      fields: Record<string, unknown> = {},
    ): Promise<string> {
      const { token } = await operator<{ token: string }>('POST', `/brands/${brand.brand_id}/tokens`, {
        user_id: person.user_id,
        scopes,
        name: 'test',
        ...fields,
      });
      return token;
    },

    /** Returns the Cookie header of a new session. */
    async signIn(person: TestPerson, brand?: TestBrand, password = PASSWORD): Promise<string> {
      const response = await inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: person.email, password, ...(brand && { brand_id: brand.brand_id }) },
      });
      if (response.statusCode !== 200) throw new Error(`sign-in: ${response.statusCode} ${response.body}`);
      return String(response.headers['set-cookie']).split(';')[0]!;
    },

    /** Creates a workspace with an admin, their token with every scope, and their session. */
    async workspace(fields: Record<string, unknown> = {}) {
      const brand = await world.brand(fields);
      const admin = await world.member(brand, { role: 'admin' });
      const token = await world.token(brand, admin, (await scopesOf(brand)) ?? [...SCOPES]);
      return {
        brand,
        admin,
        token,
        bearer: { authorization: `Bearer ${token}` },
        cookie: await world.signIn(admin, brand),
      };
    },

    advance: (seconds: number) => operator('POST', '/clock', { advance_seconds: seconds }),
    freeze: (freeze = true) => operator('POST', '/clock', { freeze }),
    runJob: (name: string) => operator<{ processed: number; failed: number }>('POST', `/jobs/${name}/run`),
  };

  async function scopesOf(brand: TestBrand): Promise<Scope[]> {
    return (await operator<{ scope_ceiling: Scope[] }>('GET', `/brands/${brand.brand_id}`)).scope_ceiling;
  }

  return world;
}
