/**
 * The one spelling of a repository's address: `git@Host:team/app.git`, `ssh://git@host:2222/team/app` and
 * `https://host/team/app/` are one repository. Who asks, how and at which port is not part of it.
 */
export function canonicalRepository(address: string): string {
  const text = address.trim();
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme) {
    const [, host = '', path = ''] = /^(?:[^@/]*@)?([^/]*)(.*)$/s.exec(rest) ?? [];
    return scheme.toLowerCase() === 'file'
      ? `file:${nameHost(host)}${namePath(path)}`
      : nameHost(host) + namePath(path);
  }
  // A letter before a colon is a drive.
  const [, host, path = ''] = /^(?:[^@/:]+@)?(\[[^\]]+\]|[^/:@]{2,}):(.*)$/s.exec(text) ?? [];
  if (host !== undefined) return nameHost(host) + namePath(`/${path}`);
  return `file:${namePath(text.replaceAll('\\', '/'))}`;
}

const nameHost = (host: string) => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

const namePath = (path: string) =>
  decode(path)
    .split('/')
    .filter((part, i) => part !== '' && !(part === '.' && i > 0))
    .join('/')
    .replace(/(?:\/|^)\.git$/, '')
    .replace(/\.git$/, '')
    .replace(/^(?=.)/, '/');

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** What people call it: the last part, in the letters that an agent_id may have. */
export function nameOfRepository(canonical: string): string {
  const last = canonical.split('/').at(-1) ?? '';
  const plain = last
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, LONGEST_NAME).replace(/-+$/, '') || 'repository';
}

const LONGEST_NAME = 150;
