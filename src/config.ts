import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { DAY } from './kernel/clock.js';

export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;
const ROLES = ['web', 'worker', 'all'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['pretty', 'json'] as const;
const IMAGE_STORES = ['disk', 's3', 'none'] as const;
const MESHES = ['none', 'wireguard'] as const;
const EMBEDDERS = ['embedded', 'none'] as const;
const LOOPBACK = ['127.0.0.0/8', '::1'];

export interface EndpointConfig {
  url: string;
  name: string;
  apiKey: string | undefined;
}

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  domains: string[];
  autoJoin: number | undefined;
}

export interface Config {
  port: number;
  host: string;
  baseUrl: string;
  installUrl: string;
  /** Where else than BASE_URL desks may reach the service. */
  installOrigins: string[];
  mailDomain: string;
  dataDir: string;
  databaseUrl: string | undefined;
  /** Proxies that are believed about where a request came from. */
  trustedProxies: string[];
  /** Where security faults are reported, as URIs. */
  securityContacts: string[];
  redisUrl: string | undefined;
  s3Url: string | undefined;
  smtpUrl: string | undefined;
  images: (typeof IMAGE_STORES)[number];
  /** One, or two while it is being changed; empty: made on first start and kept in the data directory. */
  adminApiKeys: string[];
  /** Seal what is kept secret in the database, the first one; empty: made on first start. */
  secretsKeys: string[];
  sessionLifetimes: { idleSeconds: number; maxSeconds: number };
  /** Undefined: nobody signs in by a provider. */
  oidc: OidcConfig | undefined;
  agentsDir: string;
  sourcesDir: string;
  repositoriesDir: string;
  model: EndpointConfig | undefined;
  embedder: (typeof EMBEDDERS)[number];
  embedding: EndpointConfig | undefined;
  mailListen: { host: string; port: number } | undefined;
  mesh: (typeof MESHES)[number];
  meshCidr: string;
  meshEndpoint: string;
  deskNetworks: string[];
  gitNetworks: string[];
  webhookNetworks: string[];
  role: (typeof ROLES)[number];
  /** Undefined: a demo world only on an empty embedded database. */
  demo: boolean | undefined;
  testClock: boolean;
  /** How long the event loop may hang before the process is ended; 0: for ever. */
  watchdogSeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Undefined: for people on a terminal, for programs elsewhere. */
  logFormat: (typeof LOG_FORMATS)[number] | undefined;
  environment: (typeof ENVIRONMENTS)[number];
}

/** Name, default and meaning of every variable; `npm start -- --help` prints it. */
export const VARIABLES: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['PORT', '8080', 'port to listen on; 0 picks a free one'],
  ['HOST', '127.0.0.1', 'address to listen on'],
  ['BASE_URL', 'http://HOST:PORT', 'address under which people and agents reach the service'],
  [
    'TRUSTED_PROXIES',
    LOOPBACK.join(', '),
    'proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, comma-separated addresses or CIDRs',
  ],
  ['INSTALL_URL', 'BASE_URL', 'address under which desks fetch the installer'],
  [
    'INSTALL_ORIGINS',
    '(BASE_URL only)',
    'further origins under which desks may reach the service, comma-separated',
  ],
  ['MAIL_DOMAIN', 'mail.guildhall.local', "domain of people's mail addresses"],
  ['DATA_DIR', './data', 'embedded database, images, outbox, mail, repositories, agents'],
  ['DATABASE_URL', '(embedded PostgreSQL)', 'PostgreSQL 15 or newer'],
  ['REDIS_URL', '(in process)', 'Redis for shared cache and rate limits'],
  ['S3_URL', '(none)', 'https://KEY:SECRET@host/bucket[/prefix][?region=...], used with IMAGES=s3'],
  [
    'SMTP_URL',
    '(DATA_DIR/outbox)',
    'outgoing mail; without STARTTLS only with ?requireTLS=false or ?ignoreTLS=true',
  ],
  ['IMAGES', 'disk', 'where pictures go: disk, s3 or none'],
  [
    'ADMIN_API_KEY',
    '(made on first start)',
    'key of the operator surface; two, with a comma, while it is being changed',
  ],
  [
    'SECURITY_CONTACT',
    'mailto:security@MAIL_DOMAIN',
    'where faults are reported, in /.well-known/security.txt; mailto:, https: or tel:, comma-separated',
  ],
  [
    'SECRETS_KEY',
    '(made on first start)',
    'seals secrets in the database, 32 characters or more; a new one goes in front of the old, with a comma',
  ],
  ['SESSION_IDLE_DAYS', '30', 'a session that is not used for so long ends'],
  ['SESSION_MAX_DAYS', '90', 'a session ends after so long, used or not'],
  [
    'OIDC_ISSUER',
    '(none)',
    'OpenID Connect provider by which people may sign in; https, or http on loopback',
  ],
  ['OIDC_CLIENT_ID', '(none)', 'what the provider calls Guildhall; goes with OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', '(none)', 'the secret of that client; none for a public one'],
  [
    'OIDC_DOMAINS',
    '(none)',
    'e-mail domains whose people the provider may sign in by address, comma-separated',
  ],
  [
    'OIDC_AUTO_JOIN',
    '(by invitation only)',
    'brand_id of the workspace that new people of the provider join',
  ],
  ['AGENTS_DIR', 'DATA_DIR/agents', "agents' workspace directories"],
  ['SOURCES_DIR', 'DATA_DIR/sources', 'conversation sources read only the folder of their workspace in it'],
  ['REPOSITORIES_DIR', 'DATA_DIR/repositories', 'local repositories, one subfolder per workspace'],
  [
    'MODEL_URL',
    '(none)',
    'OpenAI-compatible endpoint ending in /v1; without it: rule-based extraction, text order',
  ],
  ['MODEL_NAME', 'default', 'model asked for at MODEL_URL'],
  ['MODEL_API_KEY', '(none)', 'bearer key for MODEL_URL'],
  ['EMBEDDER', 'embedded', 'without EMBEDDING_URL: embedded, or none (search by words alone)'],
  ['EMBEDDING_URL', '(embedded model)', 'OpenAI-compatible embeddings endpoint ending in /v1'],
  ['EMBEDDING_NAME', 'default', 'model asked for at EMBEDDING_URL'],
  ['EMBEDDING_API_KEY', '(none)', 'bearer key for EMBEDDING_URL'],
  ['MAIL_LISTEN', '(off)', 'host:port of the SMTP ingress for MAIL_DOMAIN'],
  ['MESH', 'none', 'none (desks are reached directly) or wireguard'],
  ['MESH_CIDR', '10.77.0.0/16', 'addresses of the mesh'],
  ['MESH_ENDPOINT', '<host of BASE_URL>:51820', 'where desks reach the WireGuard hub'],
  ['DESK_NETWORKS', '(loopback only)', 'with MESH=none: networks desks may be in, comma-separated CIDRs'],
  [
    'GIT_NETWORKS',
    '(the internet only)',
    'networks beside it that git repositories may be in, comma-separated addresses or CIDRs',
  ],
  [
    'WEBHOOK_NETWORKS',
    '(the internet only)',
    'networks beside it that webhooks may go to, also by http, comma-separated addresses or CIDRs',
  ],
  ['GUILDHALL_ROLE', 'all', 'web, worker or all'],
  [
    'GUILDHALL_DEMO',
    '1 on an empty embedded database',
    'make a demo world on first start: 0 or 1; never with ENVIRONMENT=production',
  ],
  ['GUILDHALL_TEST_CLOCK', '0', 'let the operator move the clock: 0 or 1'],
  ['WATCHDOG_SECONDS', '30', 'a process whose event loop hangs this long is ended; 0: never'],
  ['LOG_LEVEL', 'info', LOG_LEVELS.join(', ')],
  ['LOG_FORMAT', 'pretty on a terminal, else json', 'lines for people or for programs: pretty or json'],
  ['ENVIRONMENT', 'development', ENVIRONMENTS.join(', ')],
];

export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(
      `Guildhall cannot start, the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/** Reads every variable and names all faults at once. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const read = new VariableReader(environment);
  const port = read.integer('PORT', 8080, 0, 65535);
  const host = read.host('HOST') ?? '127.0.0.1';
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const folder = (name: string, subfolder: string) => resolve(read.text(name) ?? join(dataDir, subfolder));
  const baseUrl = read.httpUrl('BASE_URL') ?? `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const mailDomain =
    read.matching(
      'MAIL_DOMAIN',
      /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
      'a domain name in lower case',
    ) ?? 'mail.guildhall.local';

  const config: Config = {
    port,
    host,
    baseUrl,
    installUrl: read.httpUrl('INSTALL_URL') ?? baseUrl,
    installOrigins: read.origins('INSTALL_ORIGINS'),
    trustedProxies: read.networks('TRUSTED_PROXIES', LOOPBACK),
    mailDomain,
    securityContacts: read.contacts('SECURITY_CONTACT', `mailto:security@${mailDomain}`),
    dataDir,
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:']),
    s3Url: read.bucketUrl('S3_URL'),
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:']),
    images: read.oneOf('IMAGES', IMAGE_STORES, 'disk'),
    adminApiKeys: read.adminKeys('ADMIN_API_KEY'),
    secretsKeys: read.keys('SECRETS_KEY', 32),
    sessionLifetimes: {
      idleSeconds: read.integer('SESSION_IDLE_DAYS', 30, 1, 3650) * DAY,
      maxSeconds: read.integer('SESSION_MAX_DAYS', 90, 1, 3650) * DAY,
    },
    oidc: readOidc(read),
    agentsDir: folder('AGENTS_DIR', 'agents'),
    sourcesDir: folder('SOURCES_DIR', 'sources'),
    repositoriesDir: folder('REPOSITORIES_DIR', 'repositories'),
    model: read.endpoint('MODEL'),
    embedder: read.oneOf('EMBEDDER', EMBEDDERS, 'embedded'),
    embedding: read.endpoint('EMBEDDING'),
    mailListen: read.hostAndPort('MAIL_LISTEN'),
    mesh: read.oneOf('MESH', MESHES, 'none'),
    meshCidr: read.cidr('MESH_CIDR') ?? '10.77.0.0/16',
    meshEndpoint: meshEndpoint(read, baseUrl),
    deskNetworks: read.cidrs('DESK_NETWORKS'),
    gitNetworks: read.networks('GIT_NETWORKS'),
    webhookNetworks: read.networks('WEBHOOK_NETWORKS'),
    role: read.oneOf('GUILDHALL_ROLE', ROLES, 'all'),
    demo: read.flag('GUILDHALL_DEMO'),
    testClock: read.flag('GUILDHALL_TEST_CLOCK') ?? false,
    watchdogSeconds: read.integer('WATCHDOG_SECONDS', 30, 0, 3600),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.optionalOneOf('LOG_FORMAT', LOG_FORMATS),
    environment: read.oneOf('ENVIRONMENT', ENVIRONMENTS, 'development'),
  };
  if (config.images === 's3' && read.text('S3_URL') === undefined)
    read.fault('IMAGES is s3, so S3_URL must be set');
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

function readOidc(read: VariableReader): OidcConfig | undefined {
  // As it is written: a slash at the end is part of a name.
  const issuer = read.url('OIDC_ISSUER', ['https:', 'http:']);
  const clientId = read.text('OIDC_CLIENT_ID');
  const autoJoin = read.integer('OIDC_AUTO_JOIN', 0, 1, 2_147_483_647) || undefined;
  const oidc = {
    clientSecret: read.text('OIDC_CLIENT_SECRET'),
    domains: read.domains('OIDC_DOMAINS'),
    autoJoin,
  };
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    return read.fault('OIDC_ISSUER and OIDC_CLIENT_ID must be set together');
  if (!isSecureOrLocal(issuer))
    return read.fault('OIDC_ISSUER must begin with https://, unless it is on this machine');
  return { issuer, clientId, ...oidc };
}

function isSecureOrLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function meshEndpoint(read: VariableReader, baseUrl: string): string {
  const given = read.hostAndPort('MESH_ENDPOINT');
  return given ? `${given.host}:${given.port}` : `${new URL(baseUrl).hostname}:51820`;
}

class VariableReader {
  readonly faults: string[] = [];

  constructor(private readonly environment: Record<string, string | undefined>) {}

  fault(message: string): undefined {
    this.faults.push(message);
  }

  text(name: string): string | undefined {
    return this.environment[name]?.trim() || undefined;
  }

  integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
    this.fault(`${name} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(value)}`);
    return fallback;
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    return this.optionalOneOf(name, allowed) ?? fallback;
  }

  optionalOneOf<const T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    const found = allowed.find((candidate) => candidate === value);
    if (value !== undefined && !found)
      this.fault(`${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(value)}`);
    return found;
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value !== undefined && value !== '0' && value !== '1')
      return this.fault(`${name} must be 0 or 1, not ${JSON.stringify(value)}`);
    return value === undefined ? undefined : value === '1';
  }

  matching(name: string, pattern: RegExp, rule: string): string | undefined {
    const value = this.text(name);
    if (value !== undefined && !pattern.test(value))
      return this.fault(`${name} must be ${rule}, not ${JSON.stringify(value)}`);
    return value;
  }

  /** The value is not repeated in the fault: such addresses carry passwords. */
  url(name: string, protocols: string[]): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      return this.fault(
        `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return value;
  }

  httpUrl(name: string): string | undefined {
    const value = this.url(name, ['http:', 'https:']);
    if (value === undefined) return undefined;
    const { search, hash, username } = new URL(value);
    if (search || hash || username) return this.fault(`${name} must have no query, fragment or credentials`);
    return value.replace(/\/+$/, '');
  }

  bucketUrl(name: string): string | undefined {
    const value = this.url(name, ['https:', 'http:']);
    if (value === undefined) return undefined;
    const { username, password, pathname } = new URL(value);
    if (username && password && /^\/[^/]/.test(pathname)) return value;
    return this.fault(`${name} must name a key, a secret and a bucket: https://KEY:SECRET@host/bucket`);
  }

  endpoint(prefix: 'MODEL' | 'EMBEDDING'): EndpointConfig | undefined {
    const url = this.url(`${prefix}_URL`, ['http:', 'https:'])?.replace(/\/+$/, '');
    const name = this.text(`${prefix}_NAME`) ?? 'default';
    const apiKey = this.text(`${prefix}_API_KEY`);
    return url === undefined ? undefined : { url, name, apiKey };
  }

  host(name: string): string | undefined {
    const value = this.text(name);
    if (
      value === undefined ||
      isIP(value) !== 0 ||
      /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/.test(value)
    )
      return value;
    return this.fault(`${name} must be a host name or an IP address, not ${JSON.stringify(value)}`);
  }

  hostAndPort(name: string): { host: string; port: number } | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parts = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:]+)):(\d{1,5})$/.exec(value);
    if (!parts || Number(parts[3]) > 65535)
      return this.fault(`${name} must be host:port, not ${JSON.stringify(value)}`);
    return { host: (parts[1] ?? parts[2])!, port: Number(parts[3]) };
  }

  cidr(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || isCidr(value)) return value;
    return this.fault(`${name} must be a network such as 10.77.0.0/16, not ${JSON.stringify(value)}`);
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  }

  domains(name: string): string[] {
    const values = this.list(name).map((value) => value.toLowerCase());
    const wrong = values.find((value) => !/^[^\s@/:]+$/.test(value));
    if (wrong)
      this.fault(
        `${name} must be domains such as example.com, separated by commas, not ${JSON.stringify(wrong)}`,
      );
    return values;
  }

  origins(name: string): string[] {
    const values = this.list(name);
    if (!values.every(isOrigin))
      this.fault(`${name} must be origins such as https://desks.example.com, separated by commas`);
    return values;
  }

  /** The value is not repeated in the fault. */
  keys(name: string, minimum: number): string[] {
    const values = this.list(name);
    if (values.some((value) => value.length < minimum))
      this.fault(`${name} must have at least ${minimum} characters`);
    return values;
  }

  /** The value is not repeated in the fault. */
  adminKeys(name: string): string[] {
    const values = this.list(name);
    if (values.length > 2 || (values.length === 0 && this.text(name) !== undefined))
      this.fault(`${name} must be one key, or two separated by a comma`);
    return values;
  }

  contacts(name: string, fallback: string): string[] {
    const values = this.list(name);
    const wrong = values.find((value) => !CONTACT.test(value) || !URL.canParse(value));
    if (wrong)
      this.fault(
        `${name} must be addresses such as mailto:security@example.com or https://example.com/report, separated by commas, not ${JSON.stringify(wrong)}`,
      );
    return values.length > 0 ? values : [fallback];
  }

  networks(name: string, fallback: string[] = []): string[] {
    const values = this.text(name) === undefined ? fallback : this.list(name);
    const wrong = values.find((value) => isIP(value) === 0 && !isCidr(value));
    if (wrong)
      this.fault(
        `${name} must be addresses or networks such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(wrong)}`,
      );
    return values;
  }

  cidrs(name: string): string[] {
    const values = this.list(name);
    const wrong = values.find((value) => !isCidr(value));
    if (wrong)
      this.fault(
        `${name} must be networks such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(wrong)}`,
      );
    return values;
  }
}

/** Plain characters only: it becomes a line of a text file. */
const CONTACT = /^(mailto:[!-~]+@[!-~]+|https:\/\/[!-~]+|tel:\+?[0-9-]+)$/;

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  return href === `${origin}/`;
}

function isCidr(value: string): boolean {
  const [address = '', bits = '', ...rest] = value.split('/');
  const version = isIP(address);
  return (
    version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
  );
}

export function describeVariables(): string {
  const width = (index: 0 | 1) => Math.max(...VARIABLES.map((row) => row[index].length));
  return VARIABLES.map(
    ([name, fallback, meaning]) => `  ${name.padEnd(width(0))}  ${fallback.padEnd(width(1))}  ${meaning}`,
  ).join('\n');
}
