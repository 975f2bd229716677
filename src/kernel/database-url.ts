/** A database by its address, which may name several hosts: `postgres://u:p@one:5432,two:5433/db?target_session_attrs=read-write`. */
export interface DatabaseHosts {
  /** An address for each host, in the order they are named. */
  urls: [string, ...string[]];
  /** Only a host that takes writes will do. */
  mustWrite: boolean;
}

const SHAPE = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/;
const ATTRIBUTE = 'target_session_attrs';
const ATTRIBUTES = ['any', 'read-write', 'primary'];

/** Or what is wrong with it, in words that do not repeat it: it may hold a password. */
export function readDatabaseUrl(url: string): DatabaseHosts | { fault: string } {
  const [, scheme = '', user = '', hosts = '', path = '', query = ''] = SHAPE.exec(url) ?? [];
  if (!scheme) return { fault: 'must be a URL that begins with postgres:// or postgresql://' };
  const parameters = new URLSearchParams(query);
  const attribute = parameters.get(ATTRIBUTE);
  if (attribute !== null && !ATTRIBUTES.includes(attribute))
    return { fault: `must have ${ATTRIBUTE} any, read-write or primary, if it has it at all` };
  parameters.delete(ATTRIBUTE);
  const rest = attribute === null ? query : parameters.toString();
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${path}${rest && `?${rest}`}`);
  if (urls.length > 1 && hosts.split(',').some((host) => host === ''))
    return { fault: 'must name hosts as host:port, separated by commas' };
  if (!urls.every((each) => URL.canParse(each)))
    return { fault: 'must name hosts as host:port, separated by commas' };
  return {
    urls: urls as DatabaseHosts['urls'],
    mustWrite: attribute === null ? urls.length > 1 : attribute !== 'any',
  };
}

/** An address for each replica, any of which may answer; or what is wrong with it. */
export function readReplicaUrl(url: string): Pick<DatabaseHosts, 'urls'> | { fault: string } {
  const parsed = readDatabaseUrl(url);
  if ('fault' in parsed) return parsed;
  return new RegExp(`[?&]${ATTRIBUTE}=`).test(url)
    ? { fault: `must have no ${ATTRIBUTE}: any of its hosts may answer` }
    : { urls: parsed.urls };
}
