import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { DAY } from '../kernel/clock.js';
import { type EndpointConfig, VariableReader } from './config-reader.js';

export const version: string = createRequire(import.meta.url)('../../package.json').version;

export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;
const ROLES = ['web', 'worker', 'all'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['pretty', 'json'] as const;
const IMAGE_STORES = ['disk', 's3', 'none'] as const;
const MESHES = ['none', 'wireguard'] as const;
const EMBEDDERS = ['embedded', 'none'] as const;
const LOOPBACK = ['127.0.0.0/8', '::1'];

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
  /** Additional origins under which desks can reach the service. */
  installOrigins: string[];
  mailDomain: string;
  /** Author of the commits that a desk makes for a coder. */
  commitIdentity: { name: string; email: string };
  dataDir: string;
  databaseUrl: string | undefined;
  /** Read replicas, for queries that may return slightly stale data. */
  replicaUrls: string[];
  trustedProxies: string[];
  /** Contacts for security reports, as URIs. */
  securityContacts: string[];
  redisUrl: string | undefined;
  s3Url: string | undefined;
  smtpUrl: string | undefined;
  images: (typeof IMAGE_STORES)[number];
  /**
   * One key, or two during a rotation. If empty, a key is created on the first start and kept in the data
   * directory.
   */
  adminApiKeys: string[];
  /**
   * Keys for stored secrets. All of them decrypt, and the first one encrypts. If empty, a key is created on
   * the first start.
   */
  secretsKeys: string[];
  sessionLifetimes: { idleSeconds: number; maxSeconds: number };
  /** Undefined turns off sign-in through a provider. */
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
  forgeNetworks: string[];
  role: (typeof ROLES)[number];
  /** If undefined, demo data is created only in an empty embedded database. */
  demo: boolean | undefined;
  testClock: boolean;
  /** How long the health check reports `draining` before the shutdown starts. */
  drainSeconds: number;
  /** Destination of traces. Undefined turns tracing off. */
  tracing: { endpoint: string; headers: Record<string, string> } | undefined;
  /** Requests per workspace and minute. 0 turns the limit off. */
  rateLimitPerMinute: number;
  /** How long the event loop may hang before the process is killed. 0 turns this off. */
  watchdogSeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** If undefined, logs are pretty on a terminal and JSON elsewhere. */
  logFormat: (typeof LOG_FORMATS)[number] | undefined;
  environment: (typeof ENVIRONMENTS)[number];
}

/** Name, default and meaning of every variable, as printed by `npm start -- --help`. */
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
  [
    'COMMIT_IDENTITY',
    'guildhall <noreply@(host of BASE_URL)>',
    'name and address of the commits that desks make for a coder',
  ],
  ['DATA_DIR', './data', 'embedded database, images, outbox, mail, repositories, agents'],
  [
    'DATABASE_URL',
    '(embedded PostgreSQL)',
    'PostgreSQL 15 or newer; with several hosts (one:5432,two:5432), the writable one is used',
  ],
  [
    'DATABASE_READ_URL',
    '(none)',
    'replicas of DATABASE_URL (one:5432,two:5432): lists, searches and exports go there while they follow closely',
  ],
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
  ['SESSION_IDLE_DAYS', '30', 'sessions end after this long without use'],
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
    'further networks for git repositories, comma-separated addresses or CIDRs',
  ],
  [
    'WEBHOOK_NETWORKS',
    '(the internet only)',
    'further networks for webhooks, also over http, comma-separated addresses or CIDRs',
  ],
  [
    'FORGE_NETWORKS',
    '(the internet only)',
    'further networks for repository hosts, comma-separated addresses or CIDRs',
  ],
  ['GUILDHALL_ROLE', 'all', 'web, worker or all'],
  [
    'GUILDHALL_DEMO',
    '1 on an empty embedded database',
    'make a demo world on first start: 0 or 1; never with ENVIRONMENT=production',
  ],
  ['GUILDHALL_TEST_CLOCK', '0', 'let the operator move the clock: 0 or 1'],
  [
    'RATE_LIMIT_PER_MINUTE',
    '6000',
    'requests a workspace may make in a minute, of which one credential may make half; 0: any number',
  ],
  [
    'DRAIN_SECONDS',
    '0',
    'on SIGTERM health says draining for so long before the stop begins, so that a proxy sends no more',
  ],
  ['WATCHDOG_SECONDS', '30', 'a process whose event loop hangs this long is ended; 0: never'],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '(off)',
    'OpenTelemetry collector; traces go to /v1/traces below it, as JSON over HTTP',
  ],
  ['OTEL_EXPORTER_OTLP_HEADERS', '(none)', 'headers for the collector: name=value, comma-separated'],
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
    commitIdentity: read.identity('COMMIT_IDENTITY') ?? {
      name: 'guildhall',
      email: `noreply@${new URL(baseUrl).hostname}`,
    },
    securityContacts: read.contacts('SECURITY_CONTACT', `mailto:security@${mailDomain}`),
    dataDir,
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    replicaUrls: read.replicaUrls('DATABASE_READ_URL'),
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
    forgeNetworks: read.networks('FORGE_NETWORKS'),
    role: read.oneOf('GUILDHALL_ROLE', ROLES, 'all'),
    demo: read.flag('GUILDHALL_DEMO'),
    testClock: read.flag('GUILDHALL_TEST_CLOCK') ?? false,
    drainSeconds: read.integer('DRAIN_SECONDS', 0, 0, 600),
    tracing: readTracing(read),
    rateLimitPerMinute: read.integer('RATE_LIMIT_PER_MINUTE', 6000, 0, 10_000_000),
    watchdogSeconds: read.integer('WATCHDOG_SECONDS', 30, 0, 3600),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: read.optionalOneOf('LOG_FORMAT', LOG_FORMATS),
    environment: read.oneOf('ENVIRONMENT', ENVIRONMENTS, 'development'),
  };
  if (config.images === 's3' && read.text('S3_URL') === undefined)
    read.fault('IMAGES is s3, so S3_URL must be set');
  if (config.replicaUrls.length > 0 && read.text('DATABASE_URL') === undefined)
    read.fault('DATABASE_READ_URL is set, so DATABASE_URL must be set');
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

function readTracing(read: VariableReader): Config['tracing'] {
  const endpoint = read.httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = read.headers('OTEL_EXPORTER_OTLP_HEADERS');
  return endpoint === undefined ? undefined : { endpoint, headers };
}

function readOidc(read: VariableReader): OidcConfig | undefined {
  // A trailing slash is part of the issuer's identity, so the value is not normalized.
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

export function describeVariables(): string {
  const width = (index: 0 | 1) => Math.max(...VARIABLES.map((row) => row[index].length));
  return VARIABLES.map(
    ([name, fallback, meaning]) => `  ${name.padEnd(width(0))}  ${fallback.padEnd(width(1))}  ${meaning}`,
  ).join('\n');
}
