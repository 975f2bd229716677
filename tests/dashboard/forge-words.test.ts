import { describe, expect, it } from 'vitest';
import {
  apiOf,
  isSimulated,
  isSimulatedAddress,
  kindOf,
  nameOf,
  placeOf,
  webAddress,
} from '../../dashboard/src/forges/forge-words.js';
import {
  checksWords,
  describeChecks,
  describeNextStep,
  readTie,
  reviewMark,
  sortChecks,
  toneOfChecks,
} from '../../dashboard/src/forges/pull-request-words.js';

describe('Repository URL', () => {
  it.each([
    ['https://github.com/acme/robots.git', 'github', 'https://api.github.com', 'acme/robots'],
    ['git@github.com:acme/robots.git', 'github', 'https://api.github.com', 'acme/robots'],
    ['ssh://git@gitlab.acme.example:2222/a/b/c.git', 'gitlab', 'https://gitlab.acme.example/api/v4', 'a/b/c'],
    ['https://codeberg.org/acme/robots/', 'forgejo', 'https://codeberg.org/api/v1', 'acme/robots'],
    ['https://ada:x@git.acme.example/a/b', 'github', 'https://git.acme.example/api/v3', 'a/b'],
  ])('yields kind, API URL and name: %s', (url, kind, api, repository) => {
    const place = placeOf(url);
    expect([kindOf(place), apiOf(kindOf(place), place), place?.repository]).toEqual([kind, api, repository]);
  });

  it.each(['/srv/git/lamp', 'file:///srv/lamp', 'https://github.com/robots', '', undefined])(
    'yields nothing for %s',
    (url) => {
      expect(placeOf(url)).toBeUndefined();
      expect(apiOf('github', placeOf(url))).toBe('');
    },
  );

  it('yields the web URL of the repository', () => {
    const at = (kind: 'github' | 'gitlab' | 'forgejo', api_url: string) =>
      webAddress({ kind, api_url, repository: 'a/b' });
    expect(at('github', 'https://api.github.com')).toBe('https://github.com/a/b');
    expect(at('github', 'https://git.acme.example/api/v3')).toBe('https://git.acme.example/a/b');
    expect(at('gitlab', 'https://acme.example/git/api/v4')).toBe('https://acme.example/git/a/b');
    expect(at('forgejo', 'https://acme.example/other')).toBeUndefined();
  });
});

describe('Simulated host', () => {
  it('is recognized by its loopback address and its repository prefix', () => {
    const demo = {
      kind: 'github',
      api_url: 'http://127.0.0.1:4000/api/v3',
      repository: 'simulated-host/lighthouse',
    } as const;
    expect([isSimulated(demo), nameOf(demo)]).toEqual([true, 'Simulated host']);
    const own = { ...demo, repository: 'acme/lighthouse' };
    expect([isSimulated(own), nameOf(own)]).toEqual([false, 'GitHub']);
    const elsewhere = { ...demo, api_url: 'https://api.github.com' };
    expect(isSimulated(elsewhere)).toBe(false);
    expect(isSimulatedAddress('http://127.0.0.1:4000/simulated-host/lighthouse/pull/1')).toBe(true);
    expect(isSimulatedAddress('https://github.com/simulated-host/lighthouse/pull/1')).toBe(false);
    expect(isSimulatedAddress('javascript:alert(1)')).toBe(false);
  });
});

describe('Pull request texts', () => {
  const check = (name: string, state: 'pending' | 'passing' | 'failing' | 'none') => ({
    name,
    state,
    url: null,
    summary: null,
  });

  it('list failing checks first and count all of them', () => {
    const checks = [check('a', 'none'), check('b', 'passing'), check('c', 'failing'), check('d', 'pending')];
    expect(sortChecks(checks).map(({ name }) => name)).toEqual(['c', 'd', 'b', 'a']);
    expect(describeChecks(checks)).toBe('1 failing, 1 pending, 1 passing, 1 skipped');
    expect(describeChecks([])).toBe('No checks ran.');
  });

  it("use the host's states and show any other word unchanged", () => {
    expect(['pending', 'passing', 'failing', 'none', 'so_so'].map(checksWords)).toEqual([
      'checks pending',
      'checks passing',
      'checks failing',
      undefined,
      'so so',
    ]);
    expect(['passing', 'failing', 'so_so'].map(toneOfChecks)).toEqual(['good', 'bad', 'plain']);
    expect([null, 'none', 'x'].map(reviewMark)).toEqual([undefined, undefined, undefined]);
    expect(reviewMark('changes_requested')?.words).toBe('changes requested');
  });

  it('describe the next step for the card', () => {
    expect(describeNextStep({ state: 'open', mergeable: null })).toMatch(/done when it is merged/);
    expect(describeNextStep({ state: 'open', mergeable: false })).toBeUndefined();
    expect(describeNextStep({ state: 'closed', mergeable: null })).toMatch(/without a merge/);
    expect(describeNextStep({ state: 'merged', mergeable: null })).toBeUndefined();
  });

  it('accept a pull request number in common spellings, or a URL', () => {
    expect(['12', ' #12 ', '!7'].map(readTie)).toEqual([{ number: 12 }, { number: 12 }, { number: 7 }]);
    expect(readTie('https://x/pull/1')).toEqual({ url: 'https://x/pull/1' });
    expect(readTie('  ')).toBeUndefined();
  });
});
