/** What a person last opened, for this window: a card, a board, a build. */
interface RecentPlace {
  address: string;
  title: string;
}

const KEPT = 6;
const THING = /^\/dashboard\/(?:boards|builds|memory|lessons|machines)\/[^/]+$/;
/** What of the query names a thing; the rest says how a page shows it. */
const NAMES = ['card', 'memory', 'lesson'];

const keyOf = (identity: string) => `guildhall:recent:${identity}`;

export function listRecent(identity: string): RecentPlace[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(identity)) ?? '[]') as RecentPlace[];
  } catch {
    return [];
  }
}

/** To be told whenever a page knows what it is called. */
export function noteVisit(identity: string, title: string): void {
  if (!THING.test(location.pathname)) return;
  const query = new URLSearchParams(location.search);
  const named = NAMES.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : []));
  const address = `${location.pathname}${named.length > 0 ? `?${new URLSearchParams(named)}` : ''}`;
  const others = listRecent(identity).filter((each) => each.address !== address);
  try {
    sessionStorage.setItem(keyOf(identity), JSON.stringify([{ address, title }, ...others].slice(0, KEPT)));
  } catch {
    // A browser that keeps nothing has no recent places.
  }
}
