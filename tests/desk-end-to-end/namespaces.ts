import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isRoot, type Outcome, runProgram, until } from './real-desk.js';

/** Lists what this machine lacks for a real network between two simulated machines. */
export function missingForNamespaces(): string[] {
  const missing = ['ip', 'wg', 'unshare', 'nsenter', 'curl'].filter((program) => !hasProgram(program));
  if (!isRoot) missing.push('root');
  if (!existsSync('/dev/net/tun') && !hasKernelWireguard()) missing.push('/dev/net/tun');
  if (!hasProgram('wireguard-go') && !hasKernelWireguard()) missing.push('wireguard-go');
  if (isRoot && !canUnshare()) missing.push('namespaces and overlay mounts');
  return missing;
}

const succeeds = (program: string, args: string[]): boolean => {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const hasProgram = (name: string) => succeeds('sh', ['-c', `command -v ${name}`]);
const hasKernelWireguard = () =>
  succeeds('unshare', ['-n', 'ip', 'link', 'add', 'wgtest', 'type', 'wireguard']);
const canUnshare = () =>
  succeeds('unshare', [
    '-n',
    '-m',
    '-p',
    '-f',
    'sh',
    '-c',
    'mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m',
  ]);

/**
 * A simulated machine with its own network, processes and optionally a file tree whose changes are discarded.
 */
export class Namespace {
  readonly #pid: number;

  private constructor(
    readonly holder: ChildProcess,
    pid: number,
  ) {
    this.#pid = pid;
  }

  static async create(ownFiles: boolean): Promise<Namespace> {
    const wait = 'while :; do sleep 1000 & wait; done';
    const tree = [
      'set -e',
      'mount --make-rprivate /',
      'mount -t tmpfs none /mnt',
      'mkdir /mnt/u /mnt/w /mnt/m',
      'mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m',
      'mount -t proc proc /mnt/m/proc',
      'mount --rbind /dev /mnt/m/dev',
      'mount -t tmpfs none /mnt/m/run',
      'mount -t tmpfs none /mnt/m/tmp',
      'mkdir -p /mnt/m/run/lock',
      `exec chroot /mnt/m bash -c 'echo up; ${wait}'`,
    ].join('\n');
    const script = ownFiles ? tree : `mount --make-rprivate /; mount -t proc proc /proc; echo up; ${wait}`;
    const holder = spawn('unshare', ['-n', '-m', '-p', '-f', '--kill-child', 'bash', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      holder.stdout?.once('data', () => resolve());
      holder.once('exit', () => reject(new Error('The namespace could not be made')));
    });
    const pid = Number(
      await until(
        () =>
          execFileSync('pgrep', ['-P', String(holder.pid)])
            .toString()
            .trim() || undefined,
      ),
    );
    const namespace = new Namespace(holder, pid);
    await namespace.run('ip link set lo up');
    return namespace;
  }

  static async connect(a: Namespace, addressA: string, b: Namespace, addressB: string): Promise<void> {
    execFileSync('nsenter', [
      '-t',
      String(a.#pid),
      '-n',
      'ip',
      'link',
      'add',
      'cable',
      'type',
      'veth',
      'peer',
      'name',
      'cable',
      'netns',
      String(b.#pid),
    ]);
    await a.run(`ip address add ${addressA} dev cable && ip link set cable up`);
    await b.run(`ip address add ${addressB} dev cable && ip link set cable up`);
  }

  get enter(): string[] {
    return ['-t', String(this.#pid), '-n', '-m', '-p', '--root', '--wdns=/'];
  }

  async run(command: string, environment: Record<string, string> = {}): Promise<Outcome> {
    const { PATH = '' } = process.env;
    return runProgram('nsenter', [...this.enter, 'bash', '-c', command], {
      env: { PATH: `${PATH}:/usr/sbin:/sbin`, HOME: '/root', ...environment },
    });
  }

  start(command: string[], environment: Record<string, string>, folder: string): ChildProcess {
    const { PATH = '' } = process.env;
    return spawn(
      'nsenter',
      ['-t', String(this.#pid), '-n', '-m', '-p', '--root', `--wdns=${folder}`, ...command],
      {
        env: { PATH: `${PATH}:/usr/sbin:/sbin`, HOME: '/root', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
  }

  /** Stops everything that runs inside, and removes the network. */
  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.holder.once('exit', resolve));
    this.holder.kill('SIGKILL');
    await ended;
  }
}
