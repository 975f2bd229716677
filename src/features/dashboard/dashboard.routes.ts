import { Answer, bytes, text } from '../../http/answers.js';
import { error, publicAccess, type Route, route, textParam } from '../../http/route.js';
import { notFound } from '../../kernel/errors.js';
import type { DashboardFiles } from './dashboard.files.js';

/** Scripts and styles come from our own files only: nothing inline, nothing evaluated, nothing from elsewhere. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const NO_BUILD = 'The dashboard has not been built yet: run `npm run build`. The API works without it.\n';

const tags: [string] = ['Dashboard'];

/** Addresses that people open; which page is shown is decided in the browser. */
const PAGES: { path: string; summary: string; params: string[] }[] = [
  { path: '/dashboard', summary: 'The dashboard', params: [] },
  { path: '/dashboard/{area}', summary: 'An area of the dashboard', params: ['area'] },
  {
    path: '/dashboard/{area}/{id}',
    summary: 'One thing in an area of the dashboard',
    params: ['area', 'id'],
  },
  { path: '/sign-in', summary: 'The page to sign in', params: [] },
  { path: '/reset-password', summary: 'The page that a password reset link opens', params: [] },
  { path: '/invitations/{token}', summary: 'The page that an invitation link opens', params: ['token'] },
];

export function dashboardRoutes(files: DashboardFiles): Route[] {
  return [redirectRoute(), ...PAGES.map((page) => pageRoute(files, page)), assetRoute(files)];
}

function redirectRoute(): Route {
  return route({
    method: 'GET',
    path: '/',
    summary: 'Leads to the dashboard',
    tags,
    access: publicAccess(),
    responses: { 302: null },
    errors: [],
    handler: () => new Answer(302, { kind: 'empty' }, { location: '/dashboard' }),
  });
}

function pageRoute(files: DashboardFiles, { path, summary, params }: (typeof PAGES)[number]): Route {
  return route({
    method: 'GET',
    path,
    summary,
    tags,
    access: publicAccess(),
    params: Object.fromEntries(params.map((name) => [name, textParam()])),
    responses: {
      200: { contentType: 'text/html', description: 'The page' },
      503: { contentType: 'text/plain', description: 'The dashboard has not been built' },
    },
    errors: [],
    handler: async () => {
      const page = await files.findPage();
      if (!page) return text(503, NO_BUILD, 'text/plain; charset=utf-8');
      return bytes(page, 'text/html; charset=utf-8', PAGE_HEADERS);
    },
  });
}

function assetRoute(files: DashboardFiles): Route {
  return route({
    method: 'GET',
    path: '/assets/{file}',
    summary: 'Script, style or picture of the dashboard',
    description: 'The name holds a digest of the content, so an answer can be kept for good.',
    tags,
    access: publicAccess(),
    params: { file: textParam() },
    responses: { 200: { contentType: 'application/octet-stream', description: 'The file' } },
    errors: [error(404, 'No such file')],
    handler: async ({ params }) => {
      const asset = await files.findAsset(params.file);
      if (!asset) throw notFound();
      return bytes(asset.bytes, asset.contentType, {
        'cache-control': 'public, max-age=31536000, immutable',
      });
    },
  });
}
