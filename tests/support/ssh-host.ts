import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(existsSync);

/** A real SSH server on loopback that accepts the authorized keys and runs as the user of this process. */
export class SshHost {
  static readonly isAvailable = SSHD !== undefined;

  readonly #folder = mkdtempSync(join(tmpdir(), 'guildhall-sshd-'));
  #server: ChildProcess | undefined;
  port = 0;

  static async start(): Promise<SshHost> {
    const host = new SshHost();
    host.port = await freePort();
    host.changeHostKey();
    writeFileSync(host.authorizedKeys, '');
    await host.#listen();
    return host;
  }

  /** The address of a repository in a local folder. */
  urlOf(folder: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${folder}`;
  }

  /** The file with the accepted public keys. */
  get authorizedKeys(): string {
    return join(this.#folder, 'authorized_keys');
  }

  authorize(publicKey: string): void {
    appendFileSync(this.authorizedKeys, `${publicKey}\n`);
  }

  forget(publicKey: string): void {
    const kept = readFileSync(this.authorizedKeys, 'utf8')
      .split('\n')
      .filter((line) => line !== publicKey);
    writeFileSync(this.authorizedKeys, kept.join('\n'));
  }

  get hostKey(): string {
    return readFileSync(join(this.#folder, 'host_key.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  }

  async restartWithAnotherKey(): Promise<void> {
    await this.#end();
    this.changeHostKey();
    await this.#listen();
  }

  async stop(): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  changeHostKey(): void {
    const file = join(this.#folder, 'host_key');
    for (const old of [file, `${file}.pub`]) rmSync(old, { force: true });
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  }

  async #listen(): Promise<void> {
    const settings = [
      `ListenAddress 127.0.0.1:${this.port}`,
      `HostKey ${join(this.#folder, 'host_key')}`,
      `AuthorizedKeysFile ${this.authorizedKeys}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 100',
    ];
    const file = join(this.#folder, 'sshd_config');
    writeFileSync(file, `${settings.join('\n')}\n`);
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
    this.#server = spawn(SSHD!, ['-D', '-e', '-f', file], { stdio: 'ignore' });
    for (let attempt = 0; !(await answers(this.port)); attempt++) {
      if (attempt === 100) throw new Error('sshd does not come up');
      await pause(50);
    }
  }

  async #end(): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
