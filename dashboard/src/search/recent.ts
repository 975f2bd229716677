/** Pages that the user opened recently in this window. */
interface RecentPlace {
  address: string;
  title: string;
}

const KEPT = 6;
const THING = /^\/dashboard\/(?:boards|builds|memory|lessons|machines)\/[^/]+$/;
/** Query parameters that identify an item; others only affect how the page shows it. */
const NAMES = ['card', 'memory', 'lesson'];

const keyOf = (identity: string) => `guildhall:recent:${identity}`;

export function listRecent(identity: string): RecentPlace[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(identity)) ?? '[]') as RecentPlace[];
  } catch {
    return [];
  }
}

/** Called when a page sets its title. */
export function noteVisit(identity: string, title: string): void {
  if (!THING.test(location.pathname)) return;
  const query = new URLSearchParams(location.search);
  const named = NAMES.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : []));
  const address = `${location.pathname}${named.length > 0 ? `?${new URLSearchParams(named)}` : ''}`;
  const others = listRecent(identity).filter((each) => each.address !== address);
  try {
    sessionStorage.setItem(keyOf(identity), JSON.stringify([{ address, title }, ...others].slice(0, KEPT)));
  } catch {
    // Without sessionStorage there are no recent pages.
  }
}
