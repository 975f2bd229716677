import { describe, expect, it } from 'vitest';
import { deriveForge, isRepositoryName, webUrlOf } from './address.js';

describe('deriveForge', () => {
  it.each([
    ['github', 'https://github.com/acme/web', 'https://api.github.com', 'acme/web'],
    ['github', 'https://github.com/acme/web.git/', 'https://api.github.com', 'acme/web'],
    ['github', 'git@github.com:acme/web.git', 'https://api.github.com', 'acme/web'],
    ['github', 'ssh://git@ssh.github.com:443/acme/web.git', 'https://api.github.com', 'acme/web'],
    ['github', 'https://git.acme.test/acme/web', 'https://git.acme.test/api/v3', 'acme/web'],
    ['github', 'http://127.0.0.1:4000/acme/web.git', 'http://127.0.0.1:4000/api/v3', 'acme/web'],
    ['gitlab', 'https://gitlab.com/acme/team/web.git', 'https://gitlab.com/api/v4', 'acme/team/web'],
    ['gitlab', 'git@gitlab.acme.test:a/b/c/d.git', 'https://gitlab.acme.test/api/v4', 'a/b/c/d'],
    ['forgejo', 'https://codeberg.org:8443/acme/web', 'https://codeberg.org:8443/api/v1', 'acme/web'],
    [
      'forgejo',
      'ssh://forgejo@code.acme.test:2222/acme/web.git',
      'https://code.acme.test/api/v1',
      'acme/web',
    ],
  ] as const)('derives the %s host from %s', (kind, url, apiUrl, repository) => {
    expect(deriveForge(kind, url)).toEqual({ apiUrl, repository });
  });

  it.each([
    ['github', '/srv/repositories/web'],
    ['github', 'https://github.com/web'],
    ['github', 'https://github.com/acme/team/web'],
    ['forgejo', 'git@code.acme.test:web.git'],
    ['github', 'http://git.acme.test/acme/web'],
    ['gitlab', 'https://gitlab.com/acme/%2e%2e/web'],
    ['gitlab', 'https://gitlab.com/acme/%'],
    ['github', 'not an address'],
  ] as const)('derives no %s host from %s', (kind, url) => {
    expect(deriveForge(kind, url)).toBeUndefined();
  });
});

describe('isRepositoryName', () => {
  it.each([
    ['github', 'acme/web'],
    ['github', 'Acme-1/web.site_2'],
    ['gitlab', 'acme/team/sub/web'],
    ['forgejo', 'acme/.profile'],
  ] as const)('on %s accepts %s', (kind, name) => {
    expect(isRepositoryName(kind, name)).toBe(true);
  });

  it.each([
    ['github', 'web'],
    ['github', 'acme/team/web'],
    ['github', 'acme/..'],
    ['github', './web'],
    ['github', 'acme/'],
    ['github', '/web'],
    ['github', 'acme/web?x=1'],
    ['github', 'acme/web#x'],
    ['github', 'acme/web%2f..'],
    ['github', 'acme/we b'],
    ['github', 'acme/web\n'],
    ['gitlab', 'acme/../web'],
    ['gitlab', 'acme//web'],
    ['gitlab', `${'a/'.repeat(30)}web`],
    ['forgejo', `acme/${'x'.repeat(500)}`],
  ] as const)('on %s rejects %s', (kind, name) => {
    expect(isRepositoryName(kind, name)).toBe(false);
  });
});

it.each([
  ['github', 'https://api.github.com', 'https://github.com'],
  ['github', 'https://git.acme.test/api/v3/', 'https://git.acme.test'],
  ['gitlab', 'https://acme.test/gitlab/api/v4', 'https://acme.test/gitlab'],
  ['forgejo', 'https://code.acme.test/other', 'https://code.acme.test'],
] as const)('the web address of a %s host with the API %s is %s', (kind, apiUrl, webUrl) => {
  expect(webUrlOf(kind, apiUrl)).toBe(webUrl);
});
