import { within } from '../../../kernel/deadline.js';
import {
  OutgoingRefused,
  readNetworks,
  resolveOutgoing,
} from '../../../platform/outgoing/outgoing-address.js';
import { urlMalformed, urlNotEncrypted, urlNotPublic, urlWithCredentials } from '../webhooks.errors.js';

/** Who saves an address waits no longer than this for the name servers; sending asks them again anyway. */
const RESOLVE_MS = 2000;

export type ResolveName = (name: string) => Promise<string[]>;

export interface ReceiverRules {
  networks: ReturnType<typeof readNetworks>;
  /** Plain http is for networks that the operator has named. */
  allowsHttp: boolean;
  resolve: ResolveName | undefined;
}

export const receiverRules = (named: readonly string[], resolve?: ResolveName): ReceiverRules => ({
  networks: readNetworks(named),
  allowsHttp: named.length > 0,
  resolve,
});

/** Refuses an address that will not be dialled. A name without an address may get one later. */
export async function requireReceiver(rules: ReceiverRules, url: string): Promise<void> {
  const { protocol, hostname, username, password } = readUrl(url);
  if (protocol !== 'https:' && !rules.allowsHttp) throw urlNotEncrypted();
  if (username !== '' || password !== '' || /^https?:\/\/[^/?#]*@/i.test(url)) throw urlWithCredentials();
  try {
    await within(RESOLVE_MS, resolveOutgoing(hostname, rules.networks, rules.resolve));
  } catch (error) {
    if (!(error instanceof OutgoingRefused)) return;
    if (error.because === 'no host') throw urlMalformed();
    if (error.because === 'not allowed') throw urlNotPublic();
  }
}

/** As it stands: what the URL standard would quietly mend is refused. */
function readUrl(url: string): URL {
  if (!/^https?:\/\/[^\s\\/][^\s\\]*$/i.test(url) || !URL.canParse(url)) throw urlMalformed();
  return new URL(url);
}
