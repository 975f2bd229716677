import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../build-state.mjs';
import { lend, listAptSettings, listSources } from './loan.mjs';

const say = (program, args, options = {}) =>
  execFileSync(program, args, { stdio: 'inherit', cwd: root, ...options });
const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const NODE_IMAGE = 'localhost/guildhall-node';
const DEBIAN_IMAGE = 'localhost/guildhall-debian';

/**
 * Builds the container image as an archive for `docker load` or `podman load`, or returns undefined if no
 * builder is installed.
 */
export function buildImage(folder, version, { baseFromMachine = false } = {}) {
  const name = `guildhall-${version}-image.tar`;
  const archive = join(folder, name);
  if (!baseFromMachine && has('docker')) {
    say('docker', ['buildx', 'bake', '--set', `guildhall.output=type=docker,dest=${archive}`], {
      env: { ...process.env, VERSION: version },
    });
    return name;
  }
  if (!has('buildah')) return undefined;
  const scratch = mkdtempSync(join(tmpdir(), 'guildhall-image-'));
  const buildah = storeIn(scratch);
  try {
    buildByBuildah(buildah, scratch, archive, version, baseFromMachine);
  } finally {
    // Leftovers of a failed build may still be mounted.
    buildah(['rm', '--all'], { stdio: 'ignore' });
    rmSync(scratch, { recursive: true, force: true });
  }
  return name;
}

function buildByBuildah(buildah, scratch, archive, version, baseFromMachine) {
  const bases = baseFromMachine ? makeBases(buildah, scratch) : [];
  const tag = `guildhall:${version}`;
  const loan = lend(join(scratch, 'loan'), { apt: baseFromMachine });
  const arguments_ = ['--build-arg', `VERSION=${version}`, ...bases, ...loan];
  buildah(['bud', '--format', 'docker', '--tag', tag, ...arguments_, '.']);
  buildah(['push', tag, `docker-archive:${archive}:${tag}`]);
}

/** Stores layers in a temporary folder and uses no namespaces, so that it also builds inside a container. */
function storeIn(scratch) {
  const places = ['--root', join(scratch, 'storage'), '--runroot', join(scratch, 'run')];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  return (args, options) => say('buildah', [...places, ...args], { env, ...options });
}

/** Creates the base images without a registry, from this machine's Debian packages and Node.js. */
function makeBases(buildah, scratch) {
  const tree = join(scratch, 'debian.tar');
  say('mmdebstrap', [
    '--variant=apt',
    // Leaves out documentation and translations, also for packages that are installed later.
    ...['man/*', 'locale/*', 'info/*', 'doc/*'].map((path) => `--dpkgopt=path-exclude=/usr/share/${path}`),
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    ...listAptSettings().map((line) => `--aptopt=${line}`),
    // Removes traces of this machine: its package sources and host name.
    `--customize-hook=cd "$1" && rm -f etc/apt/sources.list etc/apt/apt.conf.d/99mmdebstrap etc/hostname etc/resolv.conf`,
    '',
    tree,
    ...listSources(),
  ]);
  const make = (from, image, add, ...commands) => {
    const container = buildah(['from', '--pull-never', from], {
      stdio: ['ignore', 'pipe', 'inherit'],
      encoding: 'utf8',
    }).trim();
    for (const [source, target] of add) buildah(['add', '--quiet', container, source, target]);
    for (const command of commands) buildah(['run', container, '--', ...command]);
    buildah(['commit', '--quiet', '--rm', container, image]);
  };
  make('scratch', DEBIAN_IMAGE, [[tree, '/']]);
  const npm = 'lib/node_modules/npm';
  make(
    DEBIAN_IMAGE,
    NODE_IMAGE,
    [
      [process.execPath, '/usr/local/bin/node'],
      [join(dirname(dirname(process.execPath)), npm), `/usr/local/${npm}`],
    ],
    ['ln', '-s', `../${npm}/bin/npm-cli.js`, '/usr/local/bin/npm'],
  );
  return [
    '--build-arg',
    `NODE_IMAGE=${NODE_IMAGE}`,
    '--build-arg',
    `DEBIAN_IMAGE=${DEBIAN_IMAGE}`,
    '--pull-never',
  ];
}
