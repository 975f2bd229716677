import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtProgram, ensureBuilt, root } from '../support/build.js';
import { missingForNamespaces, Namespace } from './namespaces.js';
import { until } from './real-desk.js';

const missing = missingForNamespaces();
if (missing.length > 0)
  console.warn(`SKIPPED: the way from order to release over real WireGuard needs ${missing.join(', ')}`);

const BASE = 'http://10.200.7.1:8080';
const KEY = 'operator-key-of-this-test';
const PASSWORD = 'correct horse battery';

describe.skipIf(missing.length > 0)('Desk over WireGuard, from order to release', () => {
  let hub: Namespace;
  let machine: Namespace;
  let service: ChildProcess;
  let dataDir: string;
  let cookie = '';
  let log = '';
  let desk: { workstation_id: string; install_command: string; pat: string };

  /** Sends the request from the hub's namespace, because all traffic stays inside the namespaces. */
  async function ask<T = Record<string, never>>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; data: T }> {
    const payload =
      body === undefined
        ? ''
        : `-H 'content-type: application/json' -d @- <<'BODY'\n${JSON.stringify(body)}\nBODY`;
    const { output } = await hub.run(
      `curl -sS -i --max-time 60 -X ${method} -H 'x-admin-key: ${KEY}' -H 'cookie: ${cookie}' '${BASE}${path}' ${payload}`,
    );
    const [head = '', ...rest] = output.replaceAll('\r', '').split('\n\n');
    const set = /set-cookie: ([^;]+)/i.exec(head)?.[1];
    if (set) cookie = set;
    return {
      status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]),
      data: JSON.parse(rest.join('\n\n') || 'null') as T,
    };
  }
  const runJob = (name: string) => ask('POST', `/api/v1/admin/jobs/${name}/run`);
  const readDesk = async () =>
    (
      await ask<{ status: string; onboarding_steps: { key: string; reason: string | null }[] }>(
        'GET',
        `/api/v1/workstations/${desk.workstation_id}`,
      )
    ).data;

  beforeAll(async () => {
    await ensureBuilt('server', 'sidecar');
    hub = await Namespace.create(false);
    machine = await Namespace.create(true);
    await Namespace.connect(hub, '10.200.7.1/24', machine, '10.200.7.2/24');
    dataDir = await mkdtemp(join(tmpdir(), 'guildhall-mesh-test-'));
    const environment = {
      HOST: '10.200.7.1',
      PORT: '8080',
      BASE_URL: BASE,
      DATA_DIR: dataDir,
      ADMIN_API_KEY: KEY,
      GUILDHALL_DEMO: '0',
      MESH: 'wireguard',
      MESH_ENDPOINT: '10.200.7.1:51820',
      MESH_CIDR: '10.77.0.0/24',
      LOG_LEVEL: 'warn',
    };
    service = hub.start([process.execPath, builtProgram], environment, root);
    for (const stream of [service.stdout, service.stderr])
      stream?.on('data', (chunk) => {
        log += chunk;
      });
    await until(() => {
      if (service.exitCode !== null) throw new Error(log);
      return log.includes('Guildhall is ready');
    }, 90);

    const { data: brand } = await ask<{ brand_id: number }>('POST', '/api/v1/admin/brands', {
      name: 'Acme',
      plan: 'team',
    });
    const { data: person } = await ask<{ user_id: number }>('POST', '/api/v1/admin/users', {
      email: 'a@example.test',
      full_name: 'Ada',
      password: PASSWORD,
    });
    await ask('PUT', `/api/v1/admin/brands/${brand.brand_id}/members/${person.user_id}`, { role: 'admin' });
    expect(
      (await ask('POST', '/api/v1/auth/login', { email: 'a@example.test', password: PASSWORD })).status,
    ).toBe(200);
  });

  afterAll(async () => {
    // pgrep sees only processes of the hub's namespace. A graceful stop removes the network interface.
    await hub?.run('kill -TERM $(pgrep -f src/main.ts)');
    await until(() => !service || service.exitCode !== null || service.signalCode !== null, 30).catch(
      () => undefined,
    );
    await machine?.end();
    await hub?.end();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('becomes ready after its installer ran', async () => {
    desk = (await ask<typeof desk>('POST', '/api/v1/workstations', { name: 'Forge', runtime: 'custom' }))
      .data;
    const began = performance.now();
    const installed = await machine.run(desk.install_command);
    expect(installed).toMatchObject({ code: 0 });
    await until(async () => (await readDesk()).status === 'ready', 60);
    console.info(`from installer start to ready: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const { data } = await ask<{ mesh_address: string; sidecar_url: string }>(
      'GET',
      `/api/v1/environments/${desk.workstation_id}`,
    );
    expect(data.mesh_address).toBe('10.77.0.2');
    expect(data.sidecar_url).toBe('http://10.77.0.2:7717');
    expect((await machine.run('curl -s --max-time 2 http://10.200.7.2:7717/health')).code).not.toBe(0);
  });

  it('becomes unreachable after three failed checks, and ready when the tunnel is back', async () => {
    await machine.run('ip link set cable down');
    for (let count = 0; count < 3; count++) await runJob('desk-poll');
    const lost = await readDesk();
    expect(lost.status).toBe('unreachable');
    expect(lost.onboarding_steps.find(({ key }) => key === 'sidecar_up')?.reason).toBe('unreachable');
    await machine.run('ip link set cable up');
    await until(async () => {
      await runJob('desk-poll');
      return (await readDesk()).status === 'ready';
    }, 60);
  });

  it('updates on request, and reports the new digest', async () => {
    const folder = '/opt/guildhall/sidecar';
    await machine.run(
      `echo '// an older build' >> ${folder}/$(cat ${folder}/current)/sidecar.mjs && guildhall-sidecar start`,
    );
    const digest = async () =>
      (await ask<{ sidecar_code_digest: string }>('GET', `/api/v1/environments/${desk.workstation_id}`)).data
        .sidecar_code_digest;
    const before = await digest();
    await until(async () => {
      await runJob('desk-poll');
      return (await digest()) !== before;
    });
    expect((await ask('POST', `/api/v1/machines/${desk.workstation_id}/updates`)).status).toBe(202);
    const latest = async () =>
      (
        await ask<{ updates: { status: string; error: string | null }[] }>(
          'GET',
          `/api/v1/machines/${desk.workstation_id}/updates`,
        )
      ).data.updates[0];
    await until(async () => {
      await runJob('machine-updates');
      const update = await latest();
      if (update?.status === 'failed') throw new Error(String(update.error));
      return update?.status === 'done';
    }, 60);
    await runJob('desk-poll');
    expect(await digest()).toBe(before);
    expect((await readDesk()).status).toBe('ready');
  });

  it('keeps its peer and address when the installer runs again', async () => {
    expect(await machine.run(desk.install_command)).toMatchObject({ code: 0 });
    expect((await hub.run('wg show guildhall-hub allowed-ips')).output.trim().split('\n')).toHaveLength(1);
    await until(async () => {
      await runJob('desk-poll');
      return (await readDesk()).status === 'ready';
    }, 60);
  });

  it('removes the peer and the token of a released desk, and uninstalling leaves nothing behind', async () => {
    expect((await ask('DELETE', `/api/v1/workstations/${desk.workstation_id}`)).status).toBe(200);
    expect((await hub.run('wg show guildhall-hub peers')).output.trim()).toBe('');
    const again = await machine.run(desk.install_command);
    expect(again.code).toBe(13);
    expect((await machine.run('guildhall-sidecar uninstall')).code).toBe(0);
    const left = await machine.run(
      'ls -d /opt/guildhall /etc/guildhall /var/lib/guildhall-sidecar /usr/local/bin/guildhall-sidecar 2>/dev/null; ip link show guildhall0 2>/dev/null',
    );
    expect(left.output).toBe('');
  });
});
