import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notFound } from '../../kernel/errors.js';
import { Answer, bytes, text } from '../../platform/http/answer/answers.js';
import { error, publicAccess, type Route, route, textParam } from '../../platform/http/declaration/route.js';

/**
 * `dist/src/features/system/dashboard` and `src/features/system/dashboard` are equally deep in their trees.
 */
const tree = fileURLToPath(new URL('../../..', import.meta.url));

const CONTENT_TYPES = new Map(
  Object.entries({
    css: 'text/css; charset=utf-8',
    ico: 'image/x-icon',
    js: 'text/javascript; charset=utf-8',
    png: 'image/png',
    svg: 'image/svg+xml',
    txt: 'text/plain; charset=utf-8',
    woff2: 'font/woff2',
  }),
);

const PLAIN_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

export interface BuiltFile {
  bytes: Buffer;
  contentType: string;
  encoding: 'br' | undefined;
}

export interface DashboardFiles {
  findPage(): Promise<Buffer | undefined>;
  /** Returns the Brotli file when the build made one and the client accepts it. */
  findAsset(name: string, readsBrotli: boolean): Promise<BuiltFile | undefined>;
}

/** Reads the built pages on each request, so that a new build is served without a restart. */
export function dashboardFiles(folder = builtFolder()): DashboardFiles {
  return {
    findPage: () => readIfThere(join(folder, 'index.html')),
    async findAsset(name, readsBrotli) {
      const contentType = CONTENT_TYPES.get(name.slice(name.lastIndexOf('.') + 1));
      if (!contentType || !PLAIN_NAME.test(name)) return undefined;
      const path = join(folder, 'assets', name);
      const compressed = readsBrotli ? await readIfThere(`${path}.br`) : undefined;
      const bytes = compressed ?? (await readIfThere(path));
      return bytes && { bytes, contentType, encoding: compressed && 'br' };
    },
  };
}

/** A built service has the pages next to it; running from source uses the last build. */
function builtFolder(): string {
  const fromSources = existsSync(join(tree, 'dashboard/vite.config.ts'));
  return join(tree, fromSources ? 'dist/dashboard' : 'dashboard');
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/** Scripts and styles only from our own origin: no inline code, no eval, no other origins. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types guildhall-worker',
].join('; ');

/** A web worker has its own policy: it may load our scripts and send no requests. */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'";

const PAGE_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const NO_BUILD = 'The dashboard has not been built yet: run `npm run build`. The API works without it.\n';

const tags: [string] = ['Dashboard'];

/** Addresses that people can open; the browser chooses the page. */
const PAGES: { name: string; path: string; summary: string; params: string[] }[] = [
  { name: 'show_dashboard', path: '/dashboard', summary: 'The dashboard', params: [] },
  {
    name: 'show_dashboard_area',
    path: '/dashboard/{area}',
    summary: 'Show an area of the dashboard',
    params: ['area'],
  },
  {
    name: 'show_dashboard_record',
    path: '/dashboard/{area}/{id}',
    summary: 'Show one item in an area of the dashboard',
    params: ['area', 'id'],
  },
  { name: 'show_sign_in', path: '/sign-in', summary: 'The page to sign in', params: [] },
  {
    name: 'show_reset_password',
    path: '/reset-password',
    summary: 'Show the page that a password reset link opens',
    params: [],
  },
  {
    name: 'show_invitation',
    path: '/invitations/{token}',
    summary: 'Show the page that an invitation link opens',
    params: ['token'],
  },
];

const PARAMETERS: Record<string, string> = {
  area: 'The part of the dashboard, such as `boards` or `desks`.',
  id: 'The record to show, as its list links it.',
  token: 'The secret at the end of the invitation link.',
};

/** Facts that the pages need before sign-in. */
interface Entrance {
  oidc: boolean;
}

export function dashboardRoutes(files: DashboardFiles, entrance: Entrance): Route[] {
  return [redirectRoute(), ...PAGES.map((page) => pageRoute(files, page, entrance)), assetRoute(files)];
}

/** An attribute, because the policy forbids inline scripts. */
const withEntrance = (page: Buffer, { oidc }: Entrance): Buffer =>
  oidc ? Buffer.from(page.toString('utf8').replace('<html ', '<html data-oidc="on" ')) : page;

function redirectRoute(): Route {
  return route({
    name: 'show_entrance',
    method: 'GET',
    path: '/',
    summary: 'Redirect to the dashboard',
    description: 'A redirect to `/dashboard`.',
    tags,
    access: publicAccess(),
    responses: { 302: null },
    errors: [],
    handler: () => new Answer(302, { kind: 'empty' }, { location: '/dashboard' }),
  });
}

function pageRoute(
  files: DashboardFiles,
  { name, path, summary, params }: (typeof PAGES)[number],
  entrance: Entrance,
): Route {
  return route({
    name,
    method: 'GET',
    path,
    summary,
    description: 'For people; programs use `/api/v1`.',
    tags,
    access: publicAccess(),
    headers: ['Cache-Control'],
    params: Object.fromEntries(
      params.map((name) => [name, textParam(undefined, { description: PARAMETERS[name] })]),
    ),
    responses: {
      200: { contentType: 'text/html', description: 'The page' },
      503: { contentType: 'text/plain', description: 'The dashboard has not been built' },
    },
    errors: [],
    handler: async () => {
      const page = await files.findPage();
      if (!page) return text(503, NO_BUILD, 'text/plain; charset=utf-8');
      return bytes(withEntrance(page, entrance), 'text/html; charset=utf-8', PAGE_HEADERS);
    },
  });
}

function assetRoute(files: DashboardFiles): Route {
  return route({
    name: 'get_dashboard_asset',
    method: 'GET',
    path: '/assets/{file}',
    summary: 'Get a file of the dashboard',
    description: 'Its name contains a digest, so the answer can be cached permanently.',
    tags,
    access: publicAccess(),
    headers: ['Cache-Control'],
    params: {
      file: textParam(undefined, { description: 'The file, as the page refers to it.' }),
    },
    responses: { 200: { contentType: 'application/octet-stream', description: 'The file' } },
    errors: [error(404, 'Not found')],
    handler: async ({ params, headers }) => {
      const asset = await files.findAsset(params.file, readsBrotli(headers['accept-encoding']));
      if (!asset) throw notFound();
      return bytes(asset.bytes, asset.contentType, {
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(asset.contentType.startsWith('text/javascript') && { 'content-security-policy': SCRIPT_POLICY }),
        ...(asset.encoding && { 'content-encoding': asset.encoding }),
      });
    },
  });
}

/** `br;q=0` means that the client refuses Brotli. */
const readsBrotli = (accepted: string | string[] | undefined): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((encoding) => /^br(\s*;\s*q=(1|0\.\d*[1-9]\d*))?$/.test(encoding.trim()));
