import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Runtime } from '../../../kernel/plans.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { notOurAddress } from '../workstations.errors.js';

export interface SidecarRelease {
  version: string;
  codeDigest: string;
  bundle: Buffer;
  installer: string;
}

/** The root of the sources or of the build output. This file has the same depth in both. */
const tree = fileURLToPath(new URL('../../../../', import.meta.url));

let loading: Promise<SidecarRelease> | undefined;

/** Read once, so that the digest stays the same while the service runs. */
export function loadSidecarRelease(): Promise<SidecarRelease> {
  loading ??= readRelease().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readRelease(): Promise<SidecarRelease> {
  const folder = await releaseFolder();
  const [manifest, bundle, installer] = await Promise.all([
    readFile(join(folder, 'manifest.json'), 'utf8'),
    readFile(join(folder, 'sidecar.mjs')),
    readFile(join(folder, 'installer.sh'), 'utf8'),
  ]);
  const { version } = JSON.parse(manifest) as { version: string };
  return { version, codeDigest: sha256Hex(bundle), bundle, installer };
}

/** A built service ships the release. A service run from its sources builds it. */
async function releaseFolder(): Promise<string> {
  const builder = join(tree, 'sidecar/build.mjs');
  if (!existsSync(builder)) return join(tree, 'sidecar');
  const { buildSidecar } = (await import(pathToFileURL(builder).href)) as {
    buildSidecar(): Promise<unknown>;
  };
  await buildSidecar();
  return join(tree, 'dist/sidecar');
}

/** The Node release for machines without Node. Its archive is checked against the published sums. */
const NODE_VERSION = 'v20.20.2';
const SIDECAR_PORT = 7717;

export interface ServiceAddress {
  baseUrl: string;
  installUrl: string;
  /** Additional origins at which desks may reach the service. */
  installOrigins: readonly string[];
}

interface InstallParameters {
  pat: string;
  env_id: string;
  url: string;
  runtime: Runtime;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Escapes characters that could end the quotes or the parameter, and keeps plain URLs readable. */
const escapeParameter = (value: string): string =>
  encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll("'", '%27');

export function installCommands(address: ServiceAddress, parameters: Omit<InstallParameters, 'url'>) {
  const query = [
    `pat=${escapeParameter(parameters.pat)}`,
    `env_id=${parameters.env_id}`,
    `url=${escapeParameter(withoutSlash(address.baseUrl))}`,
    `runtime=${parameters.runtime}`,
  ].join('&');
  const fetch = `curl -sSL '${withoutSlash(address.installUrl)}/install/sidecar?${query}'`;
  return { install_command: `${fetch} | bash`, install_command_sudo: `${fetch} | sudo bash` };
}

/** Inside single quotes the shell interprets only the closing quote. */
const quoteForShell = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** Fills the template in one pass, so that a value which looks like a placeholder is not replaced. */
export function renderInstaller(
  release: SidecarRelease,
  address: ServiceAddress,
  parameters: InstallParameters,
): string {
  const url = findOwnUrl(address, parameters.url);
  if (url === undefined) throw notOurAddress();
  const values: Record<string, string> = {
    PAT: quoteForShell(parameters.pat),
    ENV_ID: quoteForShell(parameters.env_id),
    URL: quoteForShell(url),
    RUNTIME: quoteForShell(parameters.runtime),
    BUNDLE_URL: quoteForShell(`${bundleSource(url, address)}/install/sidecar.mjs`),
    VERSION: quoteForShell(release.version),
    DIGEST: quoteForShell(release.codeDigest),
    NODE_VERSION: quoteForShell(NODE_VERSION),
    PORT: String(SIDECAR_PORT),
  };
  return release.installer.replace(/@@([A-Z_]+)@@/g, (whole, name: string) => values[name] ?? whole);
}

/** A desk that uses another origin also downloads from that origin. */
const bundleSource = (url: string, { baseUrl, installUrl }: ServiceAddress): string =>
  url === withoutSlash(baseUrl) ? withoutSlash(installUrl) : url;

/** The script runs as root and trusts this address, so it must be an address that the operator configured. */
function findOwnUrl({ baseUrl, installOrigins }: ServiceAddress, text: string): string | undefined {
  if (/[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text)) return undefined;
  const wanted = withoutSlash(new URL(text).href);
  return [baseUrl, ...installOrigins]
    .map(withoutSlash)
    .find((own) => withoutSlash(new URL(own).href) === wanted);
}
