import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { type SecretBox, SecretNotOpened } from '../../../platform/secrets/secret-box.js';

const PLACE = 'known-browser';
const LONGEST_COOKIE = 1024;
/** A browser that more people share forgets the first of them. */
const MOST_ACCOUNTS = 5;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

interface Known {
  id: string;
  /** Digests of the account names that signed in here, the latest last. */
  accounts: string[];
}

const digest = (account: string) => sha256Hex(account).slice(0, 16);

/** What a browser keeps to show that accounts have signed in with it before. It opens nothing; it only counts apart from strangers. */
export function createKnownBrowsers(secrets: SecretBox) {
  function read(cookie: string | undefined): Known | undefined {
    if (!cookie || cookie.length > LONGEST_COOKIE) return undefined;
    try {
      return JSON.parse(secrets.open(cookie, PLACE)) as Known;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  return {
    /** Undefined when this account has not signed in with the browser. */
    idFor(cookie: string | undefined, account: string): string | undefined {
      const known = read(cookie);
      return known?.accounts.includes(digest(account)) ? known.id : undefined;
    },

    /** What the browser keeps from now on. */
    remember(cookie: string | undefined, account: string): string {
      const { id, accounts } = read(cookie) ?? { id: randomSecret(12), accounts: [] };
      const others = accounts.filter((each) => each !== digest(account));
      const known: Known = { id, accounts: [...others, digest(account)].slice(-MOST_ACCOUNTS) };
      return secrets.seal(JSON.stringify(known), PLACE);
    },
  };
}
