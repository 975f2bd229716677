import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig, VARIABLES } from './config.js';

function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('Configuration', () => {
  it('defaults to a single machine when nothing is set', () => {
    expect(readConfig({})).toMatchObject({
      baseUrl: 'http://127.0.0.1:8080',
      databaseUrl: undefined,
      images: 'disk',
      embedder: 'embedded',
      mesh: 'none',
      role: 'all',
      testClock: false,
      rateLimitPerMinute: 6000,
      environment: 'development',
    });
  });

  it('treats an empty value as unset', () => {
    const empty = Object.fromEntries(VARIABLES.map(([name]) => [name, '']));
    const blank = Object.fromEntries(VARIABLES.map(([name]) => [name, '  ']));
    expect(readConfig(empty)).toEqual(readConfig({}));
    expect(readConfig(blank)).toEqual(readConfig({}));
  });

  it('reads every variable', () => {
    expect(
      readConfig({
        PORT: '0',
        HOST: '::1',
        BASE_URL: 'https://guildhall.example/sub/',
        MAIL_DOMAIN: 'mail.example',
        COMMIT_IDENTITY: 'Acme Bot <bot+builds@acme.example>',
        DATA_DIR: '/srv/guildhall',
        AGENTS_DIR: '/srv/agents',
        DATABASE_URL: 'postgres://u:p@db/guildhall',
        DATABASE_READ_URL: 'postgres://u:p@one:5433,two/guildhall?sslmode=require',
        REDIS_URL: 'rediss://cache',
        S3_URL: 'https://key:secret@s3.example/bucket/prefix?region=eu',
        SMTP_URL: 'smtp://relay:25',
        IMAGES: 's3',
        ADMIN_API_KEY: 'key, older',
        TRUSTED_PROXIES: '10.0.0.1, fd00::/8',
        SECURITY_CONTACT: 'mailto:a@example.com, tel:+1-201-555-0123',
        MODEL_URL: 'http://model/v1/',
        MODEL_API_KEY: 'k',
        MAIL_LISTEN: '[::]:2525',
        MESH: 'wireguard',
        DESK_NETWORKS: '10.0.0.0/8, fd00::/8',
        INSTALL_ORIGINS: 'https://desks.example, http://10.0.0.5:8080/',
        GIT_NETWORKS: '127.0.0.1, 10.0.0.0/8,::1',
        SECRETS_KEY: `${'n'.repeat(32)}, ${'o'.repeat(40)}`,
        SESSION_IDLE_DAYS: '7',
        SESSION_MAX_DAYS: '14',
        OIDC_ISSUER: 'https://sso.example/realm/',
        OIDC_CLIENT_ID: 'guildhall',
        OIDC_CLIENT_SECRET: 'hush',
        OIDC_DOMAINS: 'Example.com, sub.example.org',
        OIDC_AUTO_JOIN: '12',
        GUILDHALL_ROLE: 'worker',
        GUILDHALL_DEMO: '0',
        GUILDHALL_TEST_CLOCK: '1',
        LOG_LEVEL: 'warn',
        ENVIRONMENT: 'production',
      }),
    ).toMatchObject({
      port: 0,
      host: '::1',
      baseUrl: 'https://guildhall.example/sub',
      installUrl: 'https://guildhall.example/sub',
      commitIdentity: { name: 'Acme Bot', email: 'bot+builds@acme.example' },
      agentsDir: '/srv/agents',
      replicaUrls: [
        'postgres://u:p@one:5433/guildhall?sslmode=require',
        'postgres://u:p@two/guildhall?sslmode=require',
      ],
      sourcesDir: '/srv/guildhall/sources',
      images: 's3',
      model: { url: 'http://model/v1', name: 'default', apiKey: 'k' },
      mailListen: { host: '::', port: 2525 },
      meshEndpoint: 'guildhall.example:51820',
      adminApiKeys: ['key', 'older'],
      trustedProxies: ['10.0.0.1', 'fd00::/8'],
      securityContacts: ['mailto:a@example.com', 'tel:+1-201-555-0123'],
      deskNetworks: ['10.0.0.0/8', 'fd00::/8'],
      installOrigins: ['https://desks.example', 'http://10.0.0.5:8080/'],
      gitNetworks: ['127.0.0.1', '10.0.0.0/8', '::1'],
      secretsKeys: ['n'.repeat(32), 'o'.repeat(40)],
      sessionLifetimes: { idleSeconds: 7 * 86_400, maxSeconds: 14 * 86_400 },
      oidc: {
        issuer: 'https://sso.example/realm/',
        clientId: 'guildhall',
        clientSecret: 'hush',
        domains: ['example.com', 'sub.example.org'],
        autoJoin: 12,
      },
      role: 'worker',
      demo: false,
      testClock: true,
      environment: 'production',
    });
    expect(readConfig({ HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000');
  });

  it.each<[Record<string, string>, string]>([
    [{ PORT: '80x' }, 'PORT must be a whole number from 0 to 65535, not "80x"'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, not "65536"'],
    [{ HOST: 'not a host' }, 'HOST must be a host name or an IP address, not "not a host"'],
    [
      { COMMIT_IDENTITY: 'bot@acme.example' },
      'COMMIT_IDENTITY must be a name and an address such as guildhall <noreply@guildhall.example>, not "bot@acme.example"',
    ],
    [{ BASE_URL: 'guildhall.example' }, 'BASE_URL must be a URL that begins with http:// or https://'],
    [{ BASE_URL: 'https://a.example/?x=1' }, 'BASE_URL must have no query, fragment or credentials'],
    [{ MAIL_DOMAIN: 'no domain' }, 'MAIL_DOMAIN must be a domain name in lower case, not "no domain"'],
    [
      { DATABASE_URL: 'mysql://db/x' },
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
    ],
    [
      { DATABASE_READ_URL: 'mysql://db/x', DATABASE_URL: 'postgres://db/x' },
      'DATABASE_READ_URL must be a URL that begins with postgres:// or postgresql://',
    ],
    [
      {
        DATABASE_READ_URL: 'postgres://one,two/x?target_session_attrs=read-write',
        DATABASE_URL: 'postgres://db/x',
      },
      'DATABASE_READ_URL must have no target_session_attrs: any of its hosts may answer',
    ],
    [{ DATABASE_READ_URL: 'postgres://two/x' }, 'DATABASE_READ_URL is set, so DATABASE_URL must be set'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be a URL that begins with redis:// or rediss://'],
    [{ SMTP_URL: 'mail' }, 'SMTP_URL must be a URL that begins with smtp:// or smtps://'],
    [{ IMAGES: 'ftp' }, 'IMAGES must be one of disk, s3, none, not "ftp"'],
    [{ IMAGES: 's3' }, 'IMAGES is s3, so S3_URL must be set'],
    [{ IMAGES: 's3', S3_URL: ' ' }, 'IMAGES is s3, so S3_URL must be set'],
    [
      { S3_URL: 'https://host/bucket' },
      'S3_URL must name a key, a secret and a bucket: https://KEY:SECRET@host/bucket',
    ],
    [{ SESSION_IDLE_DAYS: '0' }, 'SESSION_IDLE_DAYS must be a whole number from 1 to 3650, not "0"'],
    [{ SESSION_MAX_DAYS: '90d' }, 'SESSION_MAX_DAYS must be a whole number from 1 to 3650, not "90d"'],
    [{ OIDC_ISSUER: 'https://sso.example' }, 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together'],
    [{ OIDC_CLIENT_ID: 'guildhall' }, 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together'],
    [
      { OIDC_ISSUER: 'http://sso.example', OIDC_CLIENT_ID: 'x' },
      'OIDC_ISSUER must begin with https://, unless it is on this machine',
    ],
    [
      { OIDC_DOMAINS: 'a@b.example' },
      'OIDC_DOMAINS must be domains such as example.com, separated by commas, not "a@b.example"',
    ],
    [{ OIDC_AUTO_JOIN: 'acme' }, 'OIDC_AUTO_JOIN must be a whole number from 1 to 2147483647, not "acme"'],
    [{ MODEL_URL: 'http://model:11434' }, 'MODEL_URL must be an address that ends in /v1'],
    [{ MODEL_URL: 'http://model/v1/chat' }, 'MODEL_URL must be an address that ends in /v1'],
    [{ MODEL_URL: 'http://model/v1?x=/v1' }, 'MODEL_URL must be an address that ends in /v1'],
    [{ MODEL_URL: 'model' }, 'MODEL_URL must be a URL that begins with http:// or https://'],
    [{ MAIL_LISTEN: '2525' }, 'MAIL_LISTEN must be host:port, not "2525"'],
    [{ MESH: 'vpn' }, 'MESH must be one of none, wireguard, not "vpn"'],
    [{ MESH_CIDR: '10.77.0.0' }, 'MESH_CIDR must be a network such as 10.77.0.0/16, not "10.77.0.0"'],
    [
      { DESK_NETWORKS: '10.0.0.0/8,x' },
      'DESK_NETWORKS must be networks such as 10.0.0.0/8, separated by commas, not "x"',
    ],
    ...['desks.example', 'ftp://desks.example', 'https://a.example,x', 'https://a/b', 'https://u:p@a'].map(
      (origins): [Record<string, string>, string] => [
        { INSTALL_ORIGINS: origins },
        'INSTALL_ORIGINS must be origins such as https://desks.example.com, separated by commas',
      ],
    ),
    [
      { GIT_NETWORKS: '10.0.0.0/8,git.example' },
      'GIT_NETWORKS must be addresses or networks such as 10.0.0.0/8, separated by commas, not "git.example"',
    ],
    ...['10.0.0.0/33', 'proxy.example', '10.0.0.0/8,::1/129', '127.0.0.1:80', 'loopback', '10.0.0.0/8/8'].map(
      (proxies): [Record<string, string>, string] => [
        { TRUSTED_PROXIES: proxies },
        `TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, separated by commas, not ${JSON.stringify(proxies.split(',').at(-1))}`,
      ],
    ),
    [{ ADMIN_API_KEY: 'a,b,c' }, 'ADMIN_API_KEY must be one key, or two separated by a comma'],
    [{ ADMIN_API_KEY: ' , ' }, 'ADMIN_API_KEY must be one key, or two separated by a comma'],
    ...['security@example.com', 'http://example.com', 'mailto:', 'javascript:x', 'mailto:a@b\nPolicy: x'].map(
      (contact): [Record<string, string>, string] => [
        { SECURITY_CONTACT: contact },
        `SECURITY_CONTACT must be addresses such as mailto:security@example.com or https://example.com/report, separated by commas, not ${JSON.stringify(contact)}`,
      ],
    ),
    [{ SECRETS_KEY: 'n'.repeat(31) }, 'SECRETS_KEY must have at least 32 characters'],
    [{ SECRETS_KEY: `${'n'.repeat(32)},short` }, 'SECRETS_KEY must have at least 32 characters'],
    [{ GUILDHALL_ROLE: 'boss' }, 'GUILDHALL_ROLE must be one of web, worker, all, not "boss"'],
    [{ GUILDHALL_DEMO: 'yes' }, 'GUILDHALL_DEMO must be 0 or 1, not "yes"'],
    [{ GUILDHALL_TEST_CLOCK: 'true' }, 'GUILDHALL_TEST_CLOCK must be 0 or 1, not "true"'],
    [
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
    ],
    [{ ENVIRONMENT: 'test' }, 'ENVIRONMENT must be one of production, staging, development, not "test"'],
  ])('%j stops the start with a clear message', (environment, fault) => {
    expect(faultsOf(environment)).toEqual([fault]);
  });

  it('reports every fault at once', () => {
    const environment = { PORT: 'x', HOST: '//', IMAGES: 'x', MESH: 'x', LOG_LEVEL: 'x', REDIS_URL: 'x' };
    const faults = faultsOf(environment);
    expect(faults).toHaveLength(6);
    for (const name of Object.keys(environment)) expect(faults.join('\n')).toContain(name);
    expect(() => readConfig(environment)).toThrow(/the configuration has 6 faults:\n {2}- PORT/);
  });

  it('omits secrets from messages', () => {
    const secret = 'hunter2';
    const faults = faultsOf({
      DATABASE_URL: `mysql://root:${secret}@db/x`,
      REDIS_URL: `http://:${secret}@cache`,
      S3_URL: `https://${secret}@host/bucket`,
      SMTP_URL: `http://me:${secret}@relay`,
      BASE_URL: `https://me:${secret}@guildhall.example`,
      MODEL_URL: `ftp://me:${secret}@model`,
    });
    expect(faults).toHaveLength(6);
    expect(faults.join()).not.toContain(secret);
  });
});
