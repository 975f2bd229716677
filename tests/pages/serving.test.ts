import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardFiles, dashboardRoutes } from '../../src/features/system/dashboard.routes.js';
import { noReadyAnswers } from '../../src/platform/cache/ready-answers.js';
import { createHttpServer } from '../../src/platform/http/server/server.js';

const PAGES = [
  '/dashboard',
  '/dashboard/machines',
  '/dashboard/machines/0f9c3e0e-6a51-4b7e-9d8a-0a4f6f2f1a11',
  '/dashboard/agents/onboarding?hire=0f9c3e0e-6a51-4b7e-9d8a-0a4f6f2f1a11',
  '/sign-in',
  '/reset-password?token=abc',
  '/invitations/abc',
];

async function serve(folder: string, oidc = false) {
  const server = await createHttpServer({
    routes: dashboardRoutes(dashboardFiles(folder), { oidc }),
    authenticators: {} as never,
    baseUrl: 'http://guildhall.test',
    cookie: { name: 'guildhall_session', secure: false },
    trustedProxies: [],
    logger: Fastify({ logger: false }).log,
    checkResponses: true,
    answerOnce: () => Promise.reject(new Error('Nothing is made here')),
    readyAnswers: noReadyAnswers,
    translateError: () => undefined,
    observe: () => {},
    spoolFolder: tmpdir(),
  });
  await server.ready();
  return server;
}

let folder: string;
let built: Awaited<ReturnType<typeof serve>>;
let unbuilt: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-pages-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en"><title>Guildhall</title></html>',
  );
  await writeFile(join(folder, 'secret.js'), 'secret');
  await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export {};');
  await writeFile(join(folder, 'assets', 'index-abc123.css'), 'body{}');
  await writeFile(join(folder, 'assets', 'index-abc123.js.br'), brotliCompressSync('export {};'));
  await writeFile(join(folder, 'assets', 'notes.exe'), 'no');
  built = await serve(folder);
  unbuilt = await serve(join(folder, 'nowhere'));
});

afterAll(async () => {
  await built.close();
  await unbuilt.close();
  await rm(folder, { recursive: true, force: true });
});

describe('GET /', () => {
  it('redirects to the dashboard', async () => {
    const response = await built.inject({ url: '/' });
    expect(response.statusCode).toBe(302);
    expect(response.headers.location).toBe('/dashboard');
  });
});

describe('GET dashboard pages', () => {
  it.each(PAGES)('%s returns the built page', async (url) => {
    const response = await built.inject({ url });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.body).toContain('<title>Guildhall</title>');
  });

  it('forbids inline scripts, eval, external styles and framing', async () => {
    const { headers } = await built.inject({ url: '/dashboard' });
    const policy = Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((part) => [part.slice(0, part.indexOf(' ')), part.slice(part.indexOf(' ') + 1)]),
    );
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'worker-src': "'self'",
      'trusted-types': 'guildhall-worker',
      'style-src': "'self'",
      'connect-src': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    });
    expect(headers['x-frame-options']).toBe('DENY');
  });

  it('marks the page when single sign-on is available', async () => {
    expect((await built.inject({ url: '/sign-in' })).body).not.toContain('data-oidc');
    const withProvider = await serve(folder, true);
    expect((await withProvider.inject({ url: '/sign-in' })).body).toContain(
      '<html data-oidc="on" lang="en">',
    );
    await withProvider.close();
  });

  it('is revalidated on each request, so that a new build is picked up', async () => {
    const { headers } = await built.inject({ url: '/dashboard' });
    expect(headers['cache-control']).toBe('no-cache');
  });

  it('returns 503 with a plain message when no build exists', async () => {
    const response = await unbuilt.inject({ url: '/dashboard' });
    expect(response.statusCode).toBe(503);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(response.body).toContain('has not been built');
  });

  it('returns 404 for paths that no page has', async () => {
    const response = await built.inject({ url: '/dashboard/a/b/c' });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ detail: 'Not found' });
  });
});

describe('GET /assets/{file}', () => {
  it.each([
    ['index-abc123.js', 'text/javascript; charset=utf-8'],
    ['index-abc123.css', 'text/css; charset=utf-8'],
  ])('%s has the content type of its extension and an immutable cache header', async (name, contentType) => {
    const response = await built.inject({ url: `/assets/${name}` });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe(contentType);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('lets workers load only our own scripts, and sandboxes files that are not scripts', async () => {
    const policyOf = async (name: string) =>
      (await built.inject({ url: `/assets/${name}` })).headers['content-security-policy'];
    expect(await policyOf('index-abc123.js')).toBe("default-src 'none'; script-src 'self'");
    expect(await policyOf('index-abc123.css')).toContain('sandbox');
  });

  it.each([
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5', 'br'],
    ['br;q=0, identity', undefined],
    ['identity', undefined],
    [undefined, undefined],
  ])('returns for accept-encoding %s the encoding %s', async (accepted, encoding) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const response = await built.inject({ url: '/assets/index-abc123.js', headers });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(response.headers['vary']).toBe('accept-encoding');
    const text = encoding ? brotliDecompressSync(response.rawPayload).toString() : response.body;
    expect(text).toBe('export {};');
  });

  it.each([
    'index-abc123.js.br',
    'missing.js',
    'notes.exe',
    '..%2Fsecret.js',
    '%2e%2e%2fsecret.js',
    '..%5Csecret.js',
    'index-abc123.js%00',
    'constructor',
    'x.__proto__',
    `${'a'.repeat(500)}.js`,
  ])('%s returns 404', async (name) => {
    const response = await built.inject({ url: `/assets/${name}` });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toEqual({ detail: 'Not found' });
  });
});
