import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, PASSWORD, startTestApp, type World } from './support/app.js';
import { ask, exampleBody, orderDesk } from './support/routes.js';

/** No request logs a credential, even at the most verbose level. */

let world: World;
let home: Awaited<ReturnType<World['workspace']>>;
let deskToken: string;

beforeAll(async () => {
  world = await startTestApp({ env: { LOG_LEVEL: 'trace' } });
  home = await world.workspace();
  deskToken = await orderDesk(world, home.brand.brand_id);
});

afterAll(() => world.stop());

/** These routes move the clock or never end. */
const isMoving = ({ path }: { path: string }) =>
  ['/api/v1/admin/clock', '/api/v1/me/inbox/stream'].includes(path);

describe('Log level trace', () => {
  it('logs no token, cookie, key or password on any route', async () => {
    for (const route of world.app.routes.filter((each) => !isMoving(each))) {
      for (const authorization of [home.bearer.authorization, `Bearer ${deskToken}`]) {
        await ask(world, route, {
          brandId: home.brand.brand_id,
          headers: { authorization, cookie: home.cookie, 'x-admin-key': ADMIN_KEY },
          payload: route.body && { ...exampleBody(route), password: PASSWORD },
        });
      }
    }
    expectNoSecrets();
  });

  it('logs no secret of an upload, complete or truncated', async () => {
    const url = `/api/v1/brands/${home.brand.brand_id}/members/${home.admin.user_id}/photo`;
    const form =
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc\r\n--edge--\r\n';
    for (const payload of [form, form.slice(0, 60), '']) {
      await world.inject({
        method: 'POST',
        url,
        headers: { cookie: home.cookie, 'content-type': 'multipart/form-data; boundary=edge' },
        payload,
      });
    }
    expectNoSecrets();
  });

  it('logs no secret of a sign-in', async () => {
    await world.signIn(home.admin);
    await world.inject({
      method: 'POST',
      url: '/api/v1/auth/login',
      payload: { email: home.admin.email, password: `wrong ${PASSWORD}` },
    });
    expectNoSecrets();
  });
});

function expectNoSecrets(): void {
  expect(world.logLines.length).toBeGreaterThan(0);
  const secrets = [home.token, deskToken, home.cookie.split('=')[1]!, ADMIN_KEY, PASSWORD];
  expect(world.logLines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
}
