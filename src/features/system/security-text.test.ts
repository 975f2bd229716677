import { afterAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';

const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.stop();
});

async function linesOf(env: Record<string, string>) {
  const world = await startTestApp({ env: { BASE_URL: 'https://guildhall.test', ...env } });
  worlds.push(world);
  const answer = await world.inject({ url: '/.well-known/security.txt' });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  return { world, lines: answer.body.split('\n') };
}

describe('GET /.well-known/security.txt', () => {
  it('names the contacts, expiry, canonical URL and policy (RFC 9116)', async () => {
    const { world, lines } = await linesOf({
      SECURITY_CONTACT: 'mailto:safe@example.test, https://example.test/report',
    });
    const expires = lines.find((line) => line.startsWith('Expires: '))!.slice(9);
    expect(lines).toEqual([
      'Contact: mailto:safe@example.test',
      'Contact: https://example.test/report',
      `Expires: ${expires}`,
      'Preferred-Languages: en',
      'Canonical: https://guildhall.test/.well-known/security.txt',
      'Policy: https://guildhall.test/security-policy',
      '',
    ]);
    const days = (Date.parse(expires) - world.clock.now().getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(178);
    expect(days).toBeLessThanOrEqual(180);
  });

  it('never expires while it is served, because the date follows the clock', async () => {
    const { world, lines } = await linesOf({});
    await world.advance(400 * 86_400);
    const later = (await world.inject({ url: '/.well-known/security.txt' })).body.split('\n');
    expect(later).not.toEqual(lines);
    expect(Date.parse(later.find((line) => line.startsWith('Expires: '))!.slice(9))).toBeGreaterThan(
      world.clock.now().getTime(),
    );
  });

  it('defaults to security@ and the mail domain without SECURITY_CONTACT', async () => {
    const { lines } = await linesOf({ MAIL_DOMAIN: 'mail.example' });
    expect(lines[0]).toBe('Contact: mailto:security@mail.example');
  });

  it('links a policy with the same contact', async () => {
    const { world } = await linesOf({ SECURITY_CONTACT: 'mailto:safe@example.test' });
    const policy = await world.inject({ url: '/security-policy' });
    expect(policy.statusCode).toBe(200);
    expect(policy.body).toContain('mailto:safe@example.test');
  });
});
