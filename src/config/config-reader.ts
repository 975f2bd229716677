import { isIP } from 'node:net';
import { canonicalDomain, readDatabaseUrl, readReplicaUrl } from '../kernel/addresses.js';

export interface EndpointConfig {
  url: string;
  name: string;
  apiKey: string | undefined;
}

/** Reads environment variables and collects every fault, so that all faults are reported at once. */
export class VariableReader {
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

  /** Reads `Name <address>`, the format of Git. */
  identity(name: string): { name: string; email: string } | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const [, person, email] =
      /^([^<>\p{Cc}"\\]{1,100}?)\s*<([^<>\s"\\#;]{1,100}@[^<>\s"\\#;]{1,200})>$/u.exec(value) ?? [];
    if (person !== undefined && email !== undefined) return { name: person.trim(), email };
    return this.fault(
      `${name} must be a name and an address such as guildhall <noreply@guildhall.example>, not ${JSON.stringify(value)}`,
    );
  }

  /** The message does not repeat the value, because such addresses may contain passwords. */
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

  databaseUrl(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = readDatabaseUrl(value);
    return 'fault' in parsed ? this.fault(`${name} ${parsed.fault}`) : value;
  }

  replicaUrls(name: string): string[] {
    const value = this.text(name);
    if (value === undefined) return [];
    const parsed = readReplicaUrl(value);
    if (!('fault' in parsed)) return parsed.urls;
    this.fault(`${name} ${parsed.fault}`);
    return [];
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
    // With any other address, every call would return 404, hours after the start.
    if (prefix === 'MODEL' && url !== undefined && !/^[^?#]+\/v1$/.test(url))
      return this.fault('MODEL_URL must be an address that ends in /v1');
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
    const values = this.list(name).map(canonicalDomain);
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

  /** The message does not repeat the value, because such headers may contain keys. */
  headers(name: string): Record<string, string> {
    const pairs = this.list(name).map((pair) => /^([\w-]+)=([\x20-\x7e]+)$/.exec(pair));
    if (pairs.includes(null)) this.fault(`${name} must be name=value, separated by commas`);
    return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1]!.toLowerCase(), pair[2]!]] : [])));
  }

  /** The message does not repeat the value. */
  keys(name: string, minimum: number): string[] {
    const values = this.list(name);
    if (values.some((value) => value.length < minimum))
      this.fault(`${name} must have at least ${minimum} characters`);
    return values;
  }

  /** The message does not repeat the value. */
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

/** Printable ASCII only, because the value becomes a line of a text file. */
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
