import { afterAll, describe, expect, it } from 'vitest';
import { PASSWORD, startTestApp, type World } from '../../../tests/support/app.js';

const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.stop();
});

async function cookieUnder(baseUrl: string) {
  const world = await startTestApp({ env: { BASE_URL: baseUrl } });
  worlds.push(world);
  const person = await world.member(await world.brand());
  const payload = { email: person.email, password: PASSWORD };
  const answer = await world.inject({ method: 'POST', url: '/api/v1/auth/login', payload });
  const [cookie = '', ...attributes] = String(answer.headers['set-cookie']).split('; ');
  const statusWith = async (sent: string) =>
    (await world.inject({ url: '/api/v1/auth/session', headers: { cookie: sent } })).statusCode;
  return { cookie, attributes, statusWith };
}

describe('Session cookie', () => {
  it('over https is __Host-guildhall_session with Secure and HttpOnly', async () => {
    const { cookie, attributes, statusWith } = await cookieUnder('https://guildhall.test');
    expect(cookie).toMatch(/^__Host-guildhall_session=[\w-]{43}$/);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', 'Secure']));
    expect(attributes.join().toLowerCase()).not.toContain('domain');
    expect(await statusWith(cookie)).toBe(200);
    expect(await statusWith(cookie.replace('__Host-', ''))).toBe(401);
  });

  it('over http is guildhall_session', async () => {
    const { cookie, attributes } = await cookieUnder('http://guildhall.test');
    expect(cookie).toMatch(/^guildhall_session=/);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']));
    expect(attributes).not.toContain('Secure');
  });
});
