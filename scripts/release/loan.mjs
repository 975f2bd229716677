import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ask = (program, args) => execFileSync(program, args, { encoding: 'utf8' }).trim();
const linesOf = (text) => text.split('\n').filter(Boolean);

const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** The mount point for this machine's settings during a build, which leaves nothing in the image. */
const place = '/run/loan';

/**
 * Lists the Debian (or derived) releases that this machine installs packages from, as lines of sources.list.
 */
export function listSources() {
  const [, distribution] = /^ID=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8'));
  const format = '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)';
  const listed = linesOf(ask('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']))
    .map((line) => line.split(' '))
    .filter(([origin]) => origin.toLowerCase() === distribution);
  if (listed.length === 0) throw new Error('This machine has no lists of packages: run `apt-get update`.');
  return listed.map(([, ...source]) => `deb ${source.join(' ')}`);
}

/** The proxies and date checks of this machine's apt. */
export const listAptSettings = () =>
  linesOf(ask('apt-config', ['dump', 'Acquire'])).filter((line) =>
    /^Acquire::(https?::|Check-Valid-Until )/.test(line),
  );

/**
 * Passes this machine's mirrors, proxies and certificates for npm, and for Debian if the base has no sources,
 * to the build. They are written to `folder` and returned as arguments for `buildah bud`, so that the build
 * has them and the image does not.
 */
export function lend(folder, { apt }) {
  mkdirSync(folder, { recursive: true });
  const told = { NPM_CONFIG_REGISTRY: ask('npm', ['config', 'get', 'registry']) };
  const trusted = existsSync(certificates);
  if (trusted) {
    copyFileSync(certificates, join(folder, 'certificates.crt'));
    told.NODE_EXTRA_CA_CERTS = `${place}/certificates.crt`;
  }
  if (apt) {
    const settings = [...listAptSettings(), `Dir::Etc::SourceList "${place}/sources.list";`];
    if (trusted) settings.push(`Acquire::https::CAInfo "${place}/certificates.crt";`);
    writeFileSync(join(folder, 'apt.conf'), `${settings.join('\n')}\n`);
    writeFileSync(join(folder, 'sources.list'), `${listSources().join('\n')}\n`);
    told.APT_CONFIG = `${place}/apt.conf`;
  }
  return [
    ...['--volume', `${folder}:${place}:ro`],
    ...Object.entries(told).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
  ];
}
