import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { broken, misuse, signedOut } from './failure.js';

/** The token that `guildhall connect` created for a program in a repository. */
export interface AgentToken {
  program: string;
  repository: string;
  /** Null if the token acts in the person's name. */
  agent_id: string | null;
  token_id: string;
  token: string;
  /** The checkouts that use this token. */
  checkouts: string[];
}

/** One server and workspace that a person is signed in to. */
export interface Context {
  url: string;
  token?: string;
  /** A session cookie, for endpoints that accept people only. */
  session?: string;
  agents?: AgentToken[];
  brand_id?: number;
  workspace?: string;
  user?: string;
}

export interface Config {
  current?: string;
  contexts: Record<string, Context>;
}

export interface Access {
  url: string;
  token?: string | undefined;
  session?: string | undefined;
  brandId?: number | undefined;
  /** The name of the context this comes from, unless the environment supplies everything. */
  context?: string | undefined;
}

type Environment = Record<string, string | undefined>;

export const USUAL_URL = 'http://127.0.0.1:8080';

export function configPath(env: Environment): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'guildhall', 'config.json');
}

export function readConfig(env: Environment): Config {
  const path = configPath(env);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { contexts: {} };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(`${path} is not valid JSON`);
  }
  if (!isObject(value)) throw damaged(`${path} contains no contexts`);
  const { current, contexts = {} } = value;
  if (!isObject(contexts)) throw damaged(`${path} contains no contexts`);
  const faulty = Object.keys(contexts).find((name) => !isContext(contexts[name]));
  if (faulty !== undefined) throw damaged(`The context ${faulty} in ${path} is incomplete`);
  return {
    ...(typeof current === 'string' && { current }),
    contexts: { ...(contexts as Config['contexts']) },
  };
}

const damaged = (message: string) =>
  broken(message, 'Fix the file, or delete it and sign in again with: guildhall login');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContext = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['url'] === 'string' &&
  URL.canParse(value['url']) &&
  (value['agents'] === undefined || (Array.isArray(value['agents']) && value['agents'].every(isAgentToken)));

const isAgentToken = (value: unknown): boolean =>
  isObject(value) &&
  ['program', 'repository', 'token_id', 'token'].every((name) => typeof value[name] === 'string') &&
  Array.isArray(value['checkouts']);

/** Written to a file with mode 600 and renamed, so that other users can never read it. */
export function writeConfig(env: Environment, config: Config): void {
  const path = configPath(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Normalizes a server URL so that contexts can be compared by it. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw misuse('The address must start with http:// or https:// and contain no user name or password');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export interface Wanted {
  env: Environment;
  config: Config;
  /** The value of `--context`. */
  context?: string | undefined;
  /** The `url` in the checkout's guildhall.json. */
  checkoutUrl?: string | undefined;
}

/** The server URL, or undefined if neither flag, environment, checkout nor configuration names one. */
export function chooseUrl({ env, config, context, checkoutUrl }: Wanted): string | undefined {
  if (context !== undefined) return getContext(config, context).url;
  const given = env['GUILDHALL_URL'] || checkoutUrl;
  if (given) return readUrl(given);
  return config.current === undefined ? undefined : config.contexts[config.current]?.url;
}

/**
 * The environment takes precedence over the file. A token goes only to its own server: guildhall.json may be
 * written by someone else and must not redirect it.
 */
export function chooseAccess(wanted: Wanted): Access {
  const { env, config, context } = wanted;
  const url = chooseUrl(wanted);
  const token = context === undefined ? env['GUILDHALL_TOKEN'] : undefined;
  const address = url ?? USUAL_URL;
  if ((token || env['GUILDHALL_ADMIN_KEY']) && isStranger(wanted)) throw strangerRefused(address);
  if (token) {
    // The session for the same server is kept next to the token, for endpoints that accept people only.
    const beside = findContext(config, address);
    return {
      url: address,
      token,
      session: beside === undefined ? undefined : config.contexts[beside]!.session,
    };
  }
  const name = url === undefined ? undefined : (context ?? findContext(config, url));
  // The operator needs no sign-in: requests to operator endpoints carry the admin key.
  if (name === undefined && env['GUILDHALL_ADMIN_KEY']) return { url: address };
  if (url === undefined || name === undefined)
    throw signedOut(
      url ? `You are not signed in to ${url}` : 'You are not signed in',
      `Sign in with: guildhall login${url ? ` --url ${url}` : ''}`,
    );
  const { token: kept, session, brand_id } = config.contexts[name]!;
  return { url, token: kept, session, brandId: brand_id, context: name };
}

/**
 * True if only guildhall.json names this server: the person has neither signed in to it nor named it. This
 * includes loopback, because any user of a shared machine can listen on its ports.
 */
export function isStranger(wanted: Wanted): boolean {
  const { config, checkoutUrl, ...said } = wanted;
  if (checkoutUrl === undefined) return false;
  const url = chooseUrl(wanted);
  const own = chooseUrl({ ...said, config }) ?? USUAL_URL;
  return url !== undefined && url !== own && findContext(config, url) === undefined;
}

export const strangerRefused = (url: string) =>
  signedOut(
    `guildhall.json points to ${url}, and you are not signed in there. Your token was not sent`,
    `If you trust this server, set GUILDHALL_URL=${url} or sign in with: guildhall login --url ${url}`,
  );

/** Finds the context of a URL, preferring the current one. */
function findContext({ current, contexts }: Config, url: string): string | undefined {
  if (current !== undefined && contexts[current]?.url === url) return current;
  return Object.keys(contexts).find((name) => contexts[name]!.url === url);
}

export function getContext({ contexts }: Config, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  const names = Object.keys(contexts);
  throw misuse(
    `Context not found: ${name}`,
    names.length > 0 ? `Available contexts: ${names.join(', ')}` : 'Create one with: guildhall login',
  );
}

/** Returns for example `guildhall.example/acme-robotics`. */
export function nameContext(url: string, workspace: string): string {
  const slug = workspace
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${new URL(url).host}/${slug || 'workspace'}`;
}
