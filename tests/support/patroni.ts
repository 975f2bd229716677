import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { childrenOf, findPostgres, freePorts, makeServerFolder, spawnAsServer } from './real-postgres.js';

/** The cluster of deploy/patroni on one machine: the same files with other addresses and shorter timeouts. */

const examples = join(import.meta.dirname, '..', '..', 'deploy', 'patroni');
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const PATIENCE_MS = 240_000;

/** The programs that a cluster needs and this machine lacks. */
export const missingForCluster = (): string[] => [
  ...['patroni', 'etcd', 'haproxy'].filter((program) => !has(program)),
  ...(findPostgres() ? [] : ['postgresql']),
];

interface Member {
  name: string;
  port: number;
  restPort: number;
  data: string;
  patroni: ChildProcess;
}

interface ClusterMember {
  name: string;
  role: string;
  state: string;
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster(count: number) {
  const folder = await makeServerFolder();
  const [etcdPort, peerPort, primaryPort, replicaPort, ...ports] = (await freePorts(4 + 2 * count)) as [
    number,
    number,
    number,
    number,
    ...number[],
  ];
  const output: string[] = [];
  const children: ChildProcess[] = [];
  const run = (file: string, args: string[], env?: Record<string, string>): ChildProcess => {
    const child = spawnAsServer(file, args, env);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (line) => output.push(String(line)));
    children.push(child);
    return child;
  };

  startEtcd();
  const members = Array.from({ length: count }, (_, at) => startMember(at));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, proxyConfig());
  run('haproxy', ['-db', '-f', file]);

  function startEtcd(): void {
    const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
    run(
      'etcd',
      [
        ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', `default=${peer}`],
      ],
      // etcd refuses to start on architectures that it does not support officially, unless named here.
      { ETCD_UNSUPPORTED_ARCH: process.arch },
    );
  }

  function startMember(at: number): Member {
    const name = `db-${at + 1}`;
    const [port, restPort] = [ports[2 * at]!, ports[2 * at + 1]!];
    const data = join(folder, name);
    const config = parse(readFileSync(join(examples, 'patroni.yml'), 'utf8'));
    const address = `127.0.0.1:${port}`;
    Object.assign(config, { name, etcd3: { host: `127.0.0.1:${etcdPort}` } });
    config.restapi = { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` };
    Object.assign(config.bootstrap.dcs, { ttl: 7, loop_wait: 1, retry_timeout: 3 });
    Object.assign(config.postgresql, {
      listen: address,
      connect_address: address,
      data_dir: data,
      bin_dir: findPostgres(),
      pgpass: join(folder, `${name}.pgpass`),
      parameters: { unix_socket_directories: folder, fsync: 'off', shared_buffers: '32MB' },
      pg_hba: ['host replication all 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 trust'],
    });
    const path = join(folder, `${name}.yml`);
    writeFileSync(path, stringify(config));
    return { name, port, restPort, data, patroni: run('patroni', [path]) };
  }

  function proxyConfig(): string {
    const text = readFileSync(join(examples, 'haproxy.cfg'), 'utf8')
      .replace('bind :5432', `bind 127.0.0.1:${primaryPort}`)
      .replace('bind :5433', `bind 127.0.0.1:${replicaPort}`);
    return text.replaceAll(/^ +server (db-\d) .*$/gm, (_, name: string) => {
      const member = members.find((each) => each.name === name);
      return member ? `    server ${name} 127.0.0.1:${member.port} check port ${member.restPort}` : '';
    });
  }

  async function readMembers(): Promise<ClusterMember[]> {
    for (const { restPort } of members) {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { members: ClusterMember[] }).members;
    }
    return [];
  }

  const isPrimary = async ({ restPort }: Member) =>
    (await fetch(`http://127.0.0.1:${restPort}/primary`).catch(() => undefined))?.status === 200;

  async function findPrimary(): Promise<Member | undefined> {
    for (const member of members) if (await isPrimary(member)) return member;
    return undefined;
  }

  async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    const began = Date.now();
    for (;;) {
      const found = await ask();
      if (found) return found;
      if (Date.now() - began > PATIENCE_MS)
        throw new Error(`Never came: ${what}\n${output.slice(-60).join('')}`);
      await pause(100);
    }
  }

  /** Waits for a primary with a synchronous replica, which has every acknowledged write. */
  const untilSafe = () =>
    until('a synchronous member', async () => {
      const found = await readMembers();
      return found.filter(({ role }) => role === 'sync_standby').length > 0 && (await findPrimary());
    });

  await until('a primary', findPrimary);
  const first = await untilSafe();
  const client = new pg.Client({
    host: '127.0.0.1',
    port: first.port,
    user: 'postgres',
    database: 'postgres',
  });
  await client.connect();
  await client.query('create database guildhall');
  await client.end();

  const urlOf = (hosts: string) => `postgres://postgres@${hosts}/guildhall`;
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    folder,
    /** Lists all members by name. */
    membersUrl: `${urlOf(hosts)}?target_session_attrs=read-write`,
    everyMemberUrl: urlOf(hosts),
    primaryPort,
    replicasUrl: urlOf(`127.0.0.1:${replicaPort}`),
    urlOf,
    findPrimary,
    untilSafe,
    untilPrimary: (other: Member) =>
      until('another primary', async () => {
        const found = await findPrimary();
        return found && found !== other && found;
      }),
    /**
     * Simulates the loss of the machine: kills Patroni first, so that it repairs nothing, then the server.
     */
    killMember({ patroni, data }: Member): void {
      patroni.kill('SIGKILL');
      const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
      for (const pid of [postmaster, ...childrenOf(postmaster)]) killHard(pid);
    },
    async end(): Promise<void> {
      for (const child of children) child.kill('SIGKILL');
      for (const { data } of members) {
        const file = join(data, 'postmaster.pid');
        if (!existsSync(file)) continue;
        const postmaster = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
        for (const pid of [postmaster, ...childrenOf(postmaster)]) killHard(pid);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process is already gone.
  }
}
