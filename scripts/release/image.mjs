import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../build-state.mjs';

const say = (program, args, options = {}) =>
  execFileSync(program, args, { stdio: 'inherit', cwd: root, ...options });
const ask = (program, args) => execFileSync(program, args, { encoding: 'utf8' }).trim();
const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** No layers of a daemon's, no namespaces: it builds inside a container too. */
const plain = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };
const BASE = 'localhost/guildhall-node';
const certificates = '/etc/ssl/certs/ca-certificates.crt';

/** The container image as an archive that `docker load` and `podman load` read, or undefined where nothing here can build one. */
export function buildImage(folder, version, { baseFromMachine = false } = {}) {
  const name = `guildhall-${version}-image.tar`;
  const tag = `guildhall:${version}`;
  rmSync(join(folder, name), { force: true });
  if (!baseFromMachine && has('docker')) {
    say('docker', ['buildx', 'bake', '--set', `guildhall.output=type=docker,dest=${join(folder, name)}`], {
      env: { ...process.env, VERSION: version },
    });
    return name;
  }
  if (!has('buildah')) return undefined;
  if (baseFromMachine) makeBase();
  const base = baseFromMachine ? ['--build-arg', `NODE_IMAGE=${BASE}`, '--pull-never'] : [];
  // A machine behind a proxy of its own has certificates that the base does not know; they are lent for the build only.
  const lent = existsSync(certificates)
    ? ['--volume', `${certificates}:${certificates}:ro`, '--build-arg', `NODE_EXTRA_CA_CERTS=${certificates}`]
    : [];
  say('buildah', ['bud', '--format', 'docker', '--tag', tag, ...base, ...lent, '.'], { env: plain });
  say('buildah', ['push', tag, `docker-archive:${join(folder, name)}:${tag}`], { env: plain });
  return name;
}

/** A base without any registry of images: Debian's own packages, and the Node of this machine. */
function makeBase() {
  const listed = ask('buildah', ['images', '--storage-driver=vfs', '--format', '{{.Name}}']);
  if (listed.split('\n').includes(BASE)) return;
  const tree = mkdtempSync(join(tmpdir(), 'guildhall-base-'));
  try {
    say('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', tree]);
    const modules = join(dirname(dirname(process.execPath)), 'lib', 'node_modules', 'npm');
    mkdirSync(join(tree, 'usr/lib/node_modules'), { recursive: true });
    cpSync(process.execPath, join(tree, 'usr/bin/node'));
    cpSync(modules, join(tree, 'usr/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true });
    say('ln', ['-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(tree, 'usr/bin/npm')]);
    say('chroot', [tree, 'useradd', '--uid', '1000', '--create-home', '--user-group', 'node']);
    const container = execFileSync('buildah', ['from', 'scratch'], { encoding: 'utf8', env: plain }).trim();
    say('buildah', ['add', container, tree, '/'], { env: plain });
    say('buildah', ['commit', '--rm', container, BASE], { env: plain });
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
