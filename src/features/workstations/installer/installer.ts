import type { Runtime } from '../../../kernel/runtimes.js';
import { notOurAddress } from '../workstations.errors.js';
import type { SidecarRelease } from './sidecar-release.js';

/** The Node release a desk without one gets; its archive is checked against the sums its makers publish. */
const NODE_VERSION = 'v20.20.2';
const SIDECAR_PORT = 7717;

export interface ServiceAddress {
  baseUrl: string;
  installUrl: string;
  /** Where else desks may reach the service, as origins. */
  installOrigins: readonly string[];
}

export interface InstallParameters {
  pat: string;
  env_id: string;
  url: string;
  runtime: Runtime;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** Everything that could end the quotes or the parameter is escaped; a plain URL stays readable. */
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

/** Inside single quotes the shell reads nothing but the end of the quotes. */
export const quoteForShell = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** Fills the template in one pass, so that a value which looks like a placeholder stays a value. */
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

/** A desk that reaches the service under another name than the usual one fetches from there as well. */
const bundleSource = (url: string, { baseUrl, installUrl }: ServiceAddress): string =>
  url === withoutSlash(baseUrl) ? withoutSlash(installUrl) : url;

/**
 * Which of the service's own addresses is meant. The script runs as root and trusts this address, so it is never the
 * caller's text that gets in, only one of those the operator named.
 */
function findOwnUrl({ baseUrl, installOrigins }: ServiceAddress, text: string): string | undefined {
  if (/[^\x21-\x7e]|\\/.test(text) || !URL.canParse(text)) return undefined;
  const wanted = withoutSlash(new URL(text).href);
  return [baseUrl, ...installOrigins]
    .map(withoutSlash)
    .find((own) => withoutSlash(new URL(own).href) === wanted);
}
