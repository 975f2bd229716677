import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../src/config/config.js';
import { ADMIN_KEY, startTestApp, type World } from './support/app.js';
import { renderChart } from './support/chart.js';

const deploy = join(import.meta.dirname, '..', 'deploy');
const read = (...path: string[]) => readFileSync(join(deploy, ...path), 'utf8');
const has = (program: string) => spawnSync(program, ['--version']).error === undefined;
const variables = new Set(VARIABLES.map(([name]) => name));

let world: World;
let scratch: string;

beforeAll(async () => {
  world = await startTestApp();
  scratch = mkdtempSync(join(tmpdir(), 'guildhall-deploy-'));
});

afterAll(async () => {
  await world.stop();
  rmSync(scratch, { recursive: true });
});

describe('Dashboard and alerts', () => {
  interface Panel {
    title: string;
    targets: { expr: string }[];
  }

  const known = async (): Promise<Set<string>> => {
    const { body } = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
    const names = new Set<string>();
    for (const [, name, kind] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      names.add(name!);
      if (kind === 'histogram') for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
    }
    return names;
  };
  const named = (expression: string) => expression.match(/\bguildhall_\w+/g) ?? [];

  it('the dashboard and the alerts query only metrics that exist', async () => {
    const names = await known();
    const { panels, templating } = JSON.parse(read('grafana', 'guildhall.json'));
    const { groups } = parse(read('prometheus', 'alerts.yml'));
    const asked = [
      ...(panels as Panel[]).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...templating.list.map(({ query }: { query: string }) => query),
      ...groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules.map(({ expr }) => expr)),
    ].flatMap(named);
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });

  it('every alert has a severity, a summary and an action', () => {
    for (const { rules } of parse(read('prometheus', 'alerts.yml')).groups)
      for (const { alert, labels, annotations } of rules) {
        expect(['critical', 'warning'], alert).toContain(labels.severity);
        expect(annotations, alert).toMatchObject({ summary: expect.any(String), action: expect.any(String) });
      }
  });

  it('Prometheus loads the alert rules and sends the operator key when it scrapes', () => {
    const { rule_files, scrape_configs } = parse(read('prometheus', 'prometheus.yml'));
    expect(rule_files).toEqual(['alerts.yml']);
    expect(scrape_configs[0]).toMatchObject({
      metrics_path: '/metrics',
      http_headers: { 'X-Admin-Key': {} },
    });
  });

  it.skipIf(!has('promtool'))('promtool accepts the alert rules (skipped if it is missing)', () => {
    execFileSync('promtool', ['check', 'rules', join(deploy, 'prometheus', 'alerts.yml')]);
  });
});

describe('compose.yaml', () => {
  it('sets only existing variables, and takes its secrets from the environment', () => {
    const { services } = parse(read('compose.yaml'), { merge: true });
    for (const name of ['web-1', 'web-2', 'worker'])
      expect(Object.keys(services[name].environment).filter((each) => !variables.has(each))).toEqual([]);
    for (const secret of ['POSTGRES_PASSWORD', 'ADMIN_API_KEY'])
      expect(read('compose.yaml')).toMatch(new RegExp(`\\$\\{${secret}:\\?`));
    expect(services.proxy.volumes[0]).toContain('./haproxy/haproxy.cfg');
  });
});

describe('haproxy.cfg', () => {
  it('checks a health endpoint that exists, with a pattern that matches only a healthy answer', async () => {
    const [, path] = /uri (\S+)/.exec(read('haproxy', 'haproxy.cfg'))!;
    const [, pattern] = /expect rstring '(.+)'$/m.exec(read('haproxy', 'haproxy.cfg'))!;
    const { body } = await world.inject({ url: path! });
    expect(body).toMatch(new RegExp(pattern!));
    expect(body.replace('connected', 'unreachable')).not.toMatch(new RegExp(pattern!));
    expect(body.replace('healthy', 'draining')).not.toMatch(new RegExp(pattern!));
  });

  it.skipIf(!has('haproxy'))(
    'passes the check of HAProxy, as does the file for the cluster (skipped if it is missing)',
    () => {
      for (const folder of ['haproxy', 'patroni'])
        execFileSync('haproxy', ['-c', '-f', join(deploy, folder, 'haproxy.cfg')], { stdio: 'pipe' });
    },
  );
});

describe('systemd units', () => {
  it.skipIf(!has('systemd-analyze'))('pass systemd-analyze (skipped if it is missing)', () => {
    for (const name of readdirSync(join(deploy, 'systemd'))) {
      // Removes accounts that this machine lacks, because systemd-analyze rejects them.
      const text = read('systemd', name).replaceAll(/^(User|Group)=.*$/gm, '');
      writeFileSync(join(scratch, name), text);
    }
    for (const name of readdirSync(join(deploy, 'systemd'))) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', join(scratch, name)], {
        encoding: 'utf8',
      });
      expect(stderr.split('\n').filter((line) => line.includes(scratch))).toEqual([]);
    }
  });

  it('set only existing variables', () => {
    for (const [, name] of read('systemd', 'guildhall.service').matchAll(/^Environment=.*?(\w+)=/gm))
      expect(variables).toContain(name);
  });
});

describe('The Helm chart', () => {
  const chart = join(deploy, 'helm', 'guildhall');
  const values = () => parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const documents = (changed: object = {}) =>
    renderChart(chart, { ...values(), ...changed }, 'acme').flatMap((text) =>
      parseAllDocuments(text).map((document) => {
        expect(document.errors, text).toEqual([]);
        return document.toJS();
      }),
    );
  const kinds = (list: { kind: string }[]) => list.map(({ kind }) => kind).sort();

  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(deploy, '..', 'package.json'), 'utf8'));
    expect(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  });

  it('renders the expected resources, with an Ingress only if enabled', () => {
    const plain = [
      'ConfigMap',
      'Deployment',
      'Deployment',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
    ];
    expect(kinds(documents())).toEqual(plain);
    const ingress = { ...values().ingress, enabled: true };
    expect(kinds(documents({ ingress }))).toEqual([...plain, 'Ingress'].sort());
  });

  it('runs as a non-root user, sets only existing variables, and selects its own pods', () => {
    const all = documents();
    const deployments = all.filter(({ kind }) => kind === 'Deployment');
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
      expect(container.image).toMatch(/^guildhall:\d+\.\d+\.\d+$/);
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(container.resources.limits.memory).toBe('1Gi');
    }
    expect(deployments.map(({ spec }) => spec.template.spec.containers[0].env[0].value).sort()).toEqual([
      'web',
      'worker',
    ]);
    const settings = all.find(({ kind }) => kind === 'ConfigMap').data;
    for (const [name, value] of Object.entries(settings)) {
      expect(variables).toContain(name);
      expect(typeof value, name).toBe('string');
    }
  });
});
