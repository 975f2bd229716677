import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeskWorkspace,
  type DeskWorld,
  startDeskWorld,
} from '../../../../tests/desk-end-to-end/desk-world.js';

let world: DeskWorld;
let space: DeskWorkspace;

beforeAll(async () => {
  world = await startDeskWorld({ INSTALL_ORIGINS: 'https://desks.example.com, http://10.0.0.5:8080' });
  space = await world.workspace();
});
afterAll(() => world.stop());

describe('GET /install/sidecar', () => {
  const url = (desk: { install_command: string }) =>
    desk.install_command.split("'")[1]!.replace('http://guildhall.test', '');

  it('renders the installer with its parameters and the digest of the bundle', async () => {
    const desk = await world.order(space, { runtime: 'custom' });
    const script = await world.inject({ method: 'GET', url: url(desk) });
    expect(script.statusCode).toBe(200);
    expect(script.headers['content-type']).toContain('shellscript');
    const bundle = await world.inject({ method: 'GET', url: '/install/sidecar.mjs' });
    const digest = createHash('sha256').update(bundle.rawPayload).digest('hex');
    for (const value of [
      desk.pat,
      desk.workstation_id,
      "'http://guildhall.test'",
      "runtime='custom'",
      digest,
    ])
      expect(script.body).toContain(value);
    expect(script.body.trimEnd().split('\n').at(-1)).toBe('main "$@"');
    expect(script.body).not.toContain('@@');
  });

  it('does not reveal whether a token is valid', async () => {
    const desk = await world.order(space);
    const unknown = await world.inject({
      method: 'GET',
      url: url(desk).replace(desk.pat, 'guild_desk_nobody'),
    });
    const known = await world.inject({ method: 'GET', url: url(desk) });
    expect(unknown.statusCode).toBe(200);
    expect(unknown.body.replaceAll('guild_desk_nobody', desk.pat)).toBe(known.body);
  });

  it.each([
    ['env_id', "x'; touch /pwned; '"],
    ['runtime', "custom'; touch /pwned; '"],
    ['pat', 'a\nb'],
    ['pat', 'a\u0000b'],
    ['pat', ''],
  ])('returns 422 for %s=%j', async (name, value) => {
    const query = new URLSearchParams({
      pat: 'p',
      env_id: '00000000-0000-4000-8000-000000000000',
      url: 'http://guildhall.test',
      runtime: 'custom',
      [name]: value,
    });
    expect((await world.inject({ method: 'GET', url: `/install/sidecar?${query}` })).statusCode).toBe(422);
  });

  const render = (address: string) => {
    const query = new URLSearchParams({
      pat: 'p',
      env_id: '00000000-0000-4000-8000-000000000000',
      url: address,
      runtime: 'custom',
    });
    return world.inject({ method: 'GET', url: `/install/sidecar?${query}` });
  };

  it.each([
    ['http://guildhall.test', 'http://guildhall.test'],
    ['http://guildhall.test/', 'http://guildhall.test'],
    ['HTTP://Guildhall.TEST:80', 'http://guildhall.test'],
    ['https://desks.example.com', 'https://desks.example.com'],
    ['https://desks.example.com:443/', 'https://desks.example.com'],
    ['http://10.0.0.5:8080', 'http://10.0.0.5:8080'],
  ])('accepts url=%s, which is BASE_URL or in INSTALL_ORIGINS', async (address, known) => {
    const script = await render(address);
    expect(script.statusCode).toBe(200);
    expect(script.body).toContain(`url='${known}'\n`);
    expect(script.body).toContain(`bundle_url='${known}/install/sidecar.mjs'`);
  });

  it.each([
    'http://evil.test',
    'https://guildhall.test',
    'http://guildhall.test:8080',
    'http://guildhall.test/path',
    'http://guildhall.test.evil.test',
    'http://guildhall.test@evil.test',
    'http://u:p@guildhall.test',
    'http://guildhall.test?x',
    'http://guildhall.test#x',
    'http://guildhall.test\\@evil.test',
    'http://guildhall.test\n.evil.test',
    'https://desks.example.com/path',
    'http://desks.example.com',
    'https://desks.example.com.',
    'http://10.0.0.5',
    "http://a' b",
    'javascript:alert(1)',
    'file:///etc/passwd',
    'guildhall.test',
    '',
    ' ',
  ])('returns 400 without a script for url=%j', async (address) => {
    const answer = await render(address);
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { detail: 'url must be the address of this service' },
    ]);
  });

  it('returns 422 without a url', async () => {
    const query = 'pat=p&env_id=00000000-0000-4000-8000-000000000000';
    expect((await world.inject({ method: 'GET', url: `/install/sidecar?${query}` })).statusCode).toBe(422);
  });
});
