import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it as itInBoth } from 'vitest';
import { crossSection, itUsually as it, itDeeply } from '../support/deep.js';
import {
  type DeskWorkspace,
  type DeskWorld,
  type OrderedDesk,
  stallOf,
  startDeskWorld,
} from './desk-world.js';
import { createMachine, freePort, isRoot, type Machine } from './real-desk.js';

let world: DeskWorld;
let space: DeskWorkspace;
let baseUrl: string;
const machines: Machine[] = [];

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  world = await startDeskWorld({ BASE_URL: baseUrl });
  await world.server.listen({ port, host: '127.0.0.1' });
  space = await world.workspace({ plan: 'enterprise' });
});
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.remove();
});
afterAll(() => world.stop());

const newMachine = async (environment?: Record<string, string>) => {
  const machine = await createMachine(environment);
  machines.push(machine);
  return machine;
};
const fetchScript = async (desk: OrderedDesk) => (await fetch(desk.install_command.split("'")[1]!)).text();
const orderScript = async () => {
  const desk = await world.order(space, { runtime: 'custom' });
  return { desk, script: await fetchScript(desk) };
};

if (!isRoot) console.warn('SKIPPED: the installer needs root, so only its cut-off test runs here');

describe('Truncated installer script', () => {
  itInBoth('changes nothing, whichever line it is truncated at', async () => {
    const { script } = await orderScript();
    const machine = await newMachine();
    for (const name of ['curl', 'id', 'uname', 'mktemp', 'mkdir', 'rm', 'systemctl', 'npm', 'ip', 'wg']) {
      await machine.stub(name, `echo "${name} $*" >> "$GUILDHALL_ROOT/stubs/.called"`);
    }
    const lines = script.split('\n');
    expect(lines.at(-2)).toBe('main "$@"');
    const places = crossSection([...lines.slice(0, -2).keys()], 12);
    const cuts = places.map((place) => lines.slice(0, place + 1).join('\n'));
    const beginning = lines.slice(0, -2).join('\n');
    cuts.push(`${beginning}\nm`, `${beginning}\nmai`);
    for (let at = 0; at < cuts.length; at += 8) {
      await Promise.all(cuts.slice(at, at + 8).map((cut) => machine.install(cut)));
      await Promise.all(cuts.slice(at, at + 8).map((cut) => machine.install(`${cut}\n`)));
    }
    expect(() => readFileSync(machine.path('stubs/.called'))).toThrow();
    expect(machine.listFiles()).toEqual([]);
    // The complete script does call the stubs, so they would have detected a call.
    await machine.install(script);
    expect(readFileSync(machine.path('stubs/.called'), 'utf8')).toContain('id -u');
  });
});

describe.skipIf(!isRoot)('Installer', () => {
  it('turns a machine into a ready desk, and uninstalling removes everything', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    const { code, output } = await machine.install(script);
    expect([code, output]).toEqual([0, expect.stringContaining(desk.workstation_id)]);
    await world.poll();
    expect(await world.read(space, desk)).toMatchObject({ status: 'ready', ready: true });
    expect(stallOf(await world.read(space, desk))).toBeNull();
    const record = (await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}`)).json();
    expect(script).toContain(record.sidecar_code_digest);
    expect(output).not.toContain(desk.pat);

    expect((await machine.command('uninstall')).code).toBe(0);
    expect(machine.listFiles()).toEqual([]);
    for (const folder of ['opt/guildhall', 'etc/guildhall', 'var/lib/guildhall-sidecar', 'srv/guildhall'])
      expect(existsSync(machine.path(folder)), folder).toBe(false);
  });

  itDeeply(
    "uninstalls only its own files and keeps the service's data and all other files",
    async () => {
      const { script } = await orderScript();
      const machine = await newMachine();
      await machine.put('var/lib/guildhall/postgres/PG_VERSION', '18');
      await machine.put('etc/guildhall/coder', '#!/bin/sh');
      expect((await machine.install(script)).code).toBe(0);
      const others = [
        'etc/guildhall/coder',
        'etc/guildhall/notes.txt',
        'opt/guildhall/tools/hammer',
        'opt/guildhall/sidecar/readme',
        'srv/guildhall/elsewhere/work',
        'var/lib/guildhall/postgres/PG_VERSION',
        'var/lib/guildhall-sidecar/pending-sync/unsent',
        'var/lib/guildhall-sidecar/theirs',
      ];
      for (const name of others) await machine.put(name, 'somebody else put this here');
      expect((await machine.command('uninstall')).code).toBe(0);
      expect(machine.listFiles()).toEqual(others.toSorted());
    },
    300_000,
  );

  itDeeply(
    'sets the number of build slots to one or GUILDHALL_SLOTS and keeps it on later runs',
    async () => {
      const { script } = await orderScript();
      const machine = await newMachine();
      const slots = () => readFileSync(machine.path('etc/guildhall/slots'), 'utf8').trim();
      expect((await machine.install(script)).code).toBe(0);
      expect(slots()).toBe('1');
      expect((await machine.install(script, { GUILDHALL_SLOTS: '3' })).code).toBe(0);
      expect(slots()).toBe('3');
      expect((await machine.install(script)).code).toBe(0);
      expect(slots()).toBe('3');
      for (const wrong of ['x', '-1', '65', '1.5', '01', ' ']) {
        expect((await machine.install(script, { GUILDHALL_SLOTS: wrong })).code, wrong).toBe(10);
      }
      expect(slots()).toBe('3');
    },
  );

  itDeeply(
    'stops and removes builds on uninstall',
    async () => {
      const { script } = await orderScript();
      const machine = await newMachine();
      expect((await machine.install(script)).code).toBe(0);
      const build = '11111111-2222-4333-8444-555555555555';
      for (const name of ['work', 'checkouts'])
        await machine.put(
          `var/lib/guildhall-sidecar/${name}/${build}/done.json`,
          '{"at":"2100-01-01T00:00:00Z"}',
        );
      await machine.put('var/lib/guildhall-sidecar/cache/x.git/HEAD', 'x');
      expect((await machine.command('uninstall')).code).toBe(0);
      expect(machine.listFiles()).toEqual([]);
    },
    300_000,
  );

  itDeeply(
    "moves the files of an older desk out of the service's folder when it runs again",
    async () => {
      const { desk, script } = await orderScript();
      const machine = await newMachine();
      await machine.install(script);
      await machine.makeOld();
      await machine.put('var/lib/guildhall/postgres/PG_VERSION', '18');
      await machine.put('var/lib/guildhall/pending-sync/unsent', 'x');
      expect((await machine.install(script)).code).toBe(0);
      expect(readFileSync(machine.path('var/lib/guildhall-sidecar/pending-sync/unsent'), 'utf8')).toBe('x');
      await world.poll();
      expect(await world.read(space, desk)).toMatchObject({ status: 'ready' });
      await rm(machine.path('var/lib/guildhall-sidecar/pending-sync/unsent'));
      expect((await machine.command('uninstall')).code).toBe(0);
      expect(machine.listFiles()).toEqual(['var/lib/guildhall/postgres/PG_VERSION']);
    },
    300_000,
  );

  it('repairs the desk on a second run and keeps its identity', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    await machine.install(script);
    const identity = () =>
      ['etc/guildhall/installation-id', 'etc/guildhall/mesh.keys'].map((name) =>
        readFileSync(machine.path(name), 'utf8'),
      );
    const before = identity();
    await machine.command('stop');
    await rm(machine.path('opt/guildhall'), { recursive: true });
    const fresh = (
      await world.asMember(space)('POST', `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`)
    ).json();
    expect((await machine.install(await fetchScript(fresh))).code).toBe(0);
    expect(identity()).toEqual(before);
    await world.poll();
    expect(await world.read(space, desk)).toMatchObject({ status: 'ready' });
  });

  it('changes nothing in a dry run, and shows the digest', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    const { code, output } = await machine.install(script, { GUILDHALL_DRY_RUN: '1' });
    expect(code).toBe(0);
    expect(output).toMatch(/sha256 [0-9a-f]{64}/);
    expect(machine.listFiles()).toEqual([]);
    expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'pending', 'awaiting_callback']);
  });

  it('exits with 6 without root, and changes nothing', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    for (const folder of ['', 'tmp', 'etc']) await chmod(machine.path(folder), 0o777);
    const { code, output } = await machine.install(script, {}, { uid: 65534, gid: 65534 });
    expect([code, output]).toEqual([6, expect.stringContaining('sudo bash')]);
    expect(machine.listFiles()).toEqual([]);
    expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'pending', 'awaiting_callback']);
  });

  it.each([
    ['another system', 'uname', 'case "$1" in -s) echo Darwin ;; *) echo arm64 ;; esac'],
    ['another processor', 'uname', 'case "$1" in -s) echo Linux ;; *) echo mips ;; esac'],
  ])(
    'exits with 10 on %s, and reports it',
    async (_what, name, stub) => {
      const { desk, script } = await orderScript();
      const machine = await newMachine();
      await machine.stub(name, stub);
      expect((await machine.install(script)).code).toBe(10);
      expect(machine.listFiles()).toEqual([]);
      const read = await world.read(space, desk);
      expect(stallOf(read)).toEqual(['run_installer', 'failed', 'installer_failed']);
      expect(read.onboarding_steps[0].hint).toContain('code 10');
    },
    300_000,
  );

  itInBoth.each(crossSection([['curl'], ['mktemp'], ['tr'], ['sha256sum']], 2))(
    'exits with 10 and leaves nothing behind when %s is missing',
    async (missing) => {
      const { desk, script } = await orderScript();
      const machine = await newMachine();
      const programs = 'bash id uname curl sha256sum tar mktemp sed grep tr chmod rm'.split(' ');
      for (const name of programs.filter((program) => program !== missing)) await machine.link(name);
      const { code, output } = await machine.install(script, { PATH: machine.path('stubs') });
      expect([code, output]).toEqual([10, `guildhall: ${missing} is needed and missing\n`]);
      expect(machine.listFiles()).toEqual([]);
      const reported = missing === 'tr' || missing === 'sha256sum';
      expect(stallOf(await world.read(space, desk))).toEqual(
        reported
          ? ['run_installer', 'failed', 'installer_failed']
          : ['run_installer', 'pending', 'awaiting_callback'],
      );
    },
    300_000,
  );

  it('exits with 11 when the download fails, reports it, and leaves nothing behind', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    const { code } = await machine.install(script.replace('/install/sidecar.mjs', '/install/nothing.mjs'));
    expect(code).toBe(11);
    expect(machine.listFiles()).toEqual([]);
    expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'failed', 'installer_failed']);
  });

  it('exits with 12 on a wrong digest before contacting the service, reports it, and leaves nothing behind', async () => {
    const { desk, script } = await orderScript();
    const machine = await newMachine();
    const { code } = await machine.install(
      script.replace(/digest='[0-9a-f]{64}'/, `digest='${'0'.repeat(64)}'`),
    );
    expect(code).toBe(12);
    expect(machine.listFiles()).toEqual([]);
    const timeline = (
      await world.asMember(space)('GET', `/api/v1/environments/${desk.workstation_id}/timeline`)
    ).json();
    expect(timeline.items.map(({ kind }: { kind: string }) => kind)).toEqual(['installer_step', 'ordered']);
    expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'failed', 'installer_failed']);
  });

  it('exits with 13 when the token is refused, and leaves nothing behind', async () => {
    const { desk, script } = await orderScript();
    await world.asMember(space)('POST', `/api/v1/workstations/${desk.workstation_id}/regenerate-pat`);
    const machine = await newMachine();
    expect((await machine.install(script)).code).toBe(13);
    expect(machine.listFiles()).toEqual([]);
  });

  itDeeply(
    'exits with 14 on a machine that hosts another desk and does not change that desk',
    async () => {
      const [first, second] = [await orderScript(), await orderScript()];
      const machine = await newMachine();
      await machine.install(first.script);
      const before = readFileSync(machine.path('etc/guildhall/desk.json'), 'utf8');
      expect((await machine.install(second.script)).code).toBe(14);
      expect(readFileSync(machine.path('etc/guildhall/desk.json'), 'utf8')).toBe(before);
      await world.poll();
      expect(stallOf(await world.read(space, first.desk))).toBeNull();
      expect(stallOf(await world.read(space, second.desk))).toEqual(['sidecar_up', 'failed', 'misrouted']);
    },
    300_000,
  );

  itDeeply(
    'exits with 14 for a desk of another workspace while the old desk exists, and replaces a released desk',
    async () => {
      const other = await world.workspace();
      const theirs = await world.order(other, { runtime: 'custom' });
      const machine = await newMachine();
      const { desk, script } = await orderScript();
      await machine.install(script);
      expect((await machine.install(await fetchScript(theirs))).code).toBe(14);
      await world.asMember(space)('DELETE', `/api/v1/workstations/${desk.workstation_id}`);
      expect((await machine.install(await fetchScript(theirs))).code).toBe(0);
    },
    300_000,
  );

  itDeeply(
    'exits with 15 and reports it when the mesh fails, and leaves nothing behind on the first run',
    async () => {
      const { desk, script } = await orderScript();
      const machine = await newMachine();
      const { code } = await machine.install(script.replace('call mesh "', 'call nowhere "'));
      expect(code).toBe(15);
      expect(machine.listFiles()).toEqual([]);
      expect(stallOf(await world.read(space, desk))).toEqual(['run_installer', 'failed', 'installer_failed']);
    },
    300_000,
  );

  it('quotes hostile values', async () => {
    const machine = await newMachine();
    const trap = machine.path('etc/pwned');
    const blank = ['$', '{IFS}'].join('');
    const pat = `x'$(touch${blank}${trap})'\`touch${blank}${trap}\`@@URL@@`;
    const query = new URLSearchParams({
      pat,
      env_id: '00000000-0000-4000-8000-000000000000',
      url: baseUrl,
      runtime: 'custom',
    });
    const response = await fetch(`${baseUrl}/install/sidecar?${query}`);
    expect((await machine.install(await response.text())).code).toBe(13);
    query.set('url', `${baseUrl}/$(touch${blank}${trap})`);
    expect((await fetch(`${baseUrl}/install/sidecar?${query}`)).status).toBe(400);
    expect(machine.listFiles()).toEqual([]);
  });
});
