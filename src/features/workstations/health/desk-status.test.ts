import { describe, expect, it } from 'vitest';
import type { HealthReport } from '../sidecar/sidecar-protocol.js';
import { type CheckedFacts, type Finding, judgeFinding, type Probe } from './desk-status.js';

const at = new Date('2026-03-01T10:00:00Z');
const ordered: CheckedFacts = {
  status: 'provisioned',
  installer_exit_code: null,
  installer_message: null,
  misses: 0,
  missed_probes: [],
  misrouted: false,
  first_answered_at: null,
  resumed_at: null,
  last_contact_at: null,
  installation_id: null,
  sidecar_version: null,
  sidecar_code_digest: null,
  last_upgrade_at: null,
  building: false,
  pending_sync_count: 0,
  isolation: null,
  credentials: [],
};
const health: HealthReport = {
  envId: 'x',
  installationId: 'machine',
  version: '0.3.0',
  codeDigest: 'abc',
  building: false,
  pendingSyncCount: 0,
  credentials: [],
  isolation: null,
  updateFailure: null,
};
const probe = (outcome: Probe['outcome']): Probe => ({
  at: at.toISOString(),
  outcome,
  detail: '',
  duration_ms: 1,
});
const answer = (change: Partial<HealthReport> = {}): Finding => ({
  kind: 'answered',
  health: { ...health, ...change },
  probe: probe('answered'),
});
const miss: Finding = { kind: 'missed', probe: probe('missed') };
const misroute: Finding = { kind: 'misrouted', probe: probe('misrouted') };
const factsAfter = (facts: CheckedFacts, ...findings: Finding[]): CheckedFacts =>
  findings.reduce((current, finding) => judgeFinding(current, finding, at).facts, facts);
const ready = factsAfter(ordered, answer());

describe('Health checks', () => {
  it('make a desk ready when its sidecar answers', () => {
    const { facts, transition } = judgeFinding(ordered, answer(), at);
    expect(facts).toMatchObject({
      status: 'active',
      first_answered_at: at,
      last_contact_at: at,
      installation_id: 'machine',
    });
    expect(transition).toMatchObject({
      from: 'provisioned',
      to: 'active',
      probes: [{ outcome: 'answered' }],
    });
  });

  it('make a ready desk unreachable at the third miss in a row, with the three probes', () => {
    expect(factsAfter(ready, miss, miss).status).toBe('active');
    const third = judgeFinding(factsAfter(ready, miss, miss), miss, at);
    expect(third.facts.status).toBe('unreachable');
    expect(third.transition?.probes).toHaveLength(3);
  });

  it('start counting misses again after an answer', () => {
    expect(factsAfter(ready, miss, miss, answer(), miss, miss).status).toBe('active');
  });

  it('make an unreachable desk ready again with one answer', () => {
    expect(factsAfter(ready, miss, miss, miss, answer())).toMatchObject({ status: 'active', misses: 0 });
  });

  it('do not make a desk unreachable that neither answered nor was resumed', () => {
    expect(factsAfter(ordered, miss, miss, miss, miss).status).toBe('provisioned');
  });

  it('make a resumed desk unreachable after three misses even if it never answered', () => {
    expect(factsAfter({ ...ordered, resumed_at: at }, miss, miss, miss).status).toBe('unreachable');
  });

  it('write nothing while nothing changes', () => {
    expect(judgeFinding(ready, answer(), at).changed).toBe(false);
    const lost = factsAfter(ready, miss, miss, miss);
    expect(judgeFinding(lost, miss, at).changed).toBe(false);
    expect(judgeFinding(factsAfter(ordered, miss, miss, miss), miss, at).changed).toBe(false);
  });

  it('show a misrouted answer at once and clear it after a correct one', () => {
    expect(factsAfter(ordered, misroute).misrouted).toBe(true);
    expect(factsAfter(ordered, misroute, answer()).misrouted).toBe(false);
    expect(factsAfter(ready, misroute, misroute, misroute)).toMatchObject({
      status: 'unreachable',
      misrouted: true,
    });
  });

  it('detect an upgrade only when version or digest change, not when they are first reported', () => {
    expect(ready.last_upgrade_at).toBeNull();
    expect(factsAfter(ready, answer({ codeDigest: 'def' })).last_upgrade_at).toEqual(at);
    expect(factsAfter(ready, answer({ version: '0.3.1' })).last_upgrade_at).toEqual(at);
  });

  it('store since when a login has been expired', () => {
    const first = new Date('2026-02-28T00:00:00Z');
    const expired = (checkedAt: Date) =>
      answer({ credentials: [{ runtime: 'codex', state: 'expired', checkedAt }] });
    const seen = factsAfter(ready, expired(first));
    expect(seen.credentials).toEqual([{ runtime: 'codex', state: 'expired', since: first.toISOString() }]);
    const again = judgeFinding(seen, expired(at), at);
    expect(again.changed).toBe(false);
    expect(again.facts.credentials).toEqual(seen.credentials);
  });

  it('ignore a login check with a time in the future', () => {
    const future = new Date('2030-01-01T00:00:00Z');
    const seen = factsAfter(
      ready,
      answer({ credentials: [{ runtime: 'codex', state: 'expired', checkedAt: future }] }),
    );
    expect(seen.credentials[0]?.since).toBe(at.toISOString());
  });
});
