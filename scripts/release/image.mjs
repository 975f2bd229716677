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

/** The container image as an archive that `docker load` and `podman load` read, or undefined where nothing here can build one. */
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
    // What is left of a build that failed may still be mounted.
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

/** Layers in a folder that goes afterwards, and no namespaces of its own: it builds inside a container too. */
function storeIn(scratch) {
  const places = ['--root', join(scratch, 'storage'), '--runroot', join(scratch, 'run')];
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' };
  return (args, options) => say('buildah', [...places, ...args], { env, ...options });
}

/** Both bases without any registry of images: this machine's Debian made anew from its packages, and that with this machine's Node. */
function makeBases(buildah, scratch) {
  const tree = join(scratch, 'debian.tar');
  say('mmdebstrap', [
    '--variant=apt',
    // Its documents and languages stay out, here and with what is installed on it.
    ...['man/*', 'locale/*', 'info/*', 'doc/*'].map((path) => `--dpkgopt=path-exclude=/usr/share/${path}`),
    '--dpkgopt=path-include=/usr/share/doc/*/copyright',
    ...listAptSettings().map((line) => `--aptopt=${line}`),
    // How it was fetched, and what this machine is called, is nobody's business.
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
