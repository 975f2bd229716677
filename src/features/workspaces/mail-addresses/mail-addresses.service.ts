import { createHmac } from 'node:crypto';
import type { MemberCaller } from '../../../kernel/access.js';
import { type PersonalPart, wholePart } from '../../../kernel/actors.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { notFound } from '../../../kernel/errors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Mailbox } from '../../../platform/mail/mail-in.js';
import {
  addressNotAvailable,
  alreadyYourAddress,
  mailboxCannotBeRenamed,
  tooManyForwards,
} from '../workspaces.errors.js';
import { deleteNamesOfErased, findMailboxByName, mailNameStore } from './mail-addresses.store.js';

export const MAIL_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{1,28}[a-z0-9]$';
export const MAIL_NAME_RULE =
  'must have 3 to 30 lowercase letters, numbers or hyphens and start and end with a letter or number';

export const MOST_FORWARDS = 5;

/**
 * Names of RFC 2142, names to which certificate authorities send validation mails, and names that a service
 * sends from. A person with such a name could pose as the operator.
 */
const RESERVED = new Set(
  `abuse admin administrator admins autoconfig autodiscover billing bounce bounces certificate certificates
  certmaster contact daemon dmarc dns-admin dnsadmin do-not-reply donotreply everyone ftp guildhall help
  helpdesk hostmaster hostmasters imap info invitations is-admin it-admin itadmin localhost login mail
  mailer mailer-daemon mailerdaemon mailman marketing mis news newsletter no-reply nobody noc noreply
  notification notifications operator phishing pki pop pop3 postmaster postmasters privacy registrar root
  sales security smtp spam ssl ssl-admin ssladmin ssladministrator sslwebmaster staff support sysadmin
  sysadmins sysop system tls tls-admin tlsadmin trouble unsubscribe usenet uucp webadmin webmail webmaster
  webmasters whois wpad www`.split(/\s+/),
);

export const isReservedMailName = (name: string): boolean => RESERVED.has(name);

const FORWARDING = 30 * DAY;

export type MailAddressService = ReturnType<typeof createMailAddressService>;

export function createMailAddressService({
  db,
  clock,
  mailDomain,
  cursorSecret,
}: {
  db: Db;
  clock: Clock;
  mailDomain: string;
  cursorSecret: string;
}) {
  const addressOf = (name: string) => `${name}@${mailDomain}`;
  /** No real name starts with `#`. The secret prevents guessing the name by hashing candidates. */
  const heldAs = (name: string) =>
    `#${createHmac('sha256', cursorSecret).update(`mail-name:${name}`).digest('hex')}`;

  return {
    /** A mailbox on another domain counts as an address, but has no forwards. */
    async read(caller: MemberCaller) {
      const store = mailNameStore(db, caller.userId);
      const own = await store.readOwn();
      const address = own.name === null ? own.mail_address : addressOf(own.name);
      if (address === null) throw notFound();
      const forwards = await store.listForwards(clock.now());
      return {
        address,
        forwards: forwards.map(({ name, until }) => ({
          address: addressOf(name),
          until: until.toISOString(),
        })),
      };
    },

    async checkAvailability(caller: MemberCaller, name: string) {
      const store = mailNameStore(db, caller.userId);
      const own = await store.readOwn();
      if (own.name === null) throw notFound();
      const available =
        !isReservedMailName(name) && (await store.isAvailable(name, heldAs(name), clock.now()));
      return { name, domain: mailDomain, available };
    },

    rename(caller: MemberCaller, name: string) {
      return inTransaction(db, async (tx) => {
        const store = mailNameStore(tx, caller.userId);
        await store.lockOwn();
        const own = await store.readOwn();
        if (own.name === null) throw own.mail_address === null ? notFound() : mailboxCannotBeRenamed();
        if (own.name === name) throw alreadyYourAddress();
        if (isReservedMailName(name)) throw addressNotAvailable();

        const now = clock.now();
        const until = secondsFrom(now, FORWARDING);
        await store.startForwarding(until);
        if (!(await store.claim(name, heldAs(name), now))) throw addressNotAvailable();
        const { forwards, first_end } = await store.readForwards(now);
        if (forwards > MOST_FORWARDS) throw tooManyForwards((first_end!.getTime() - now.getTime()) / 1000);
        const change = { address: addressOf(name), forwarding_from: addressOf(own.name) };
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'mail-address.renamed',
          subject: `user:${caller.userId}`,
          details: change,
          at: now,
        });
        return { ...change, forwards_until: until.toISOString() };
      });
    },

    /** Gives a person their first address, without a check for reserved names; undefined if the name is taken. */
    async give(tx: Tx, userId: number, name: string): Promise<string | undefined> {
      const given = await mailNameStore(tx, userId).claim(name, heldAs(name), clock.now());
      return given ? addressOf(name) : undefined;
    },

    listPersonalParts: (userId: number): PersonalPart[] => [
      wholePart('mail_addresses', async () =>
        (await mailNameStore(db, userId).listNames()).map(({ name, ...row }) => ({
          address: addressOf(name),
          ...row,
        })),
      ),
    ],

    /**
     * Ends mail delivery, and stores only hashes of the names, so that no one else can take them while they
     * would have forwarded. Returns the addresses, so that callers can remove them elsewhere.
     */
    async endAddresses(tx: Tx, userId: number): Promise<string[]> {
      const store = mailNameStore(tx, userId);
      await store.startForwarding(secondsFrom(clock.now(), FORWARDING));
      const names = await store.listNames();
      for (const { name } of names) await store.holdBack(name, heldAs(name));
      return names.map(({ name }) => addressOf(name));
    },

    sweepErased: (limit: number): Promise<number> => deleteNamesOfErased(db, clock.now(), limit),

    /** Returns the owner of a name, including an old name that still forwards. */
    async findMailbox(name: string): Promise<Mailbox | undefined> {
      const found = await findMailboxByName(db, name, clock.now());
      return found && { userId: found.user_id, address: addressOf(found.current_name) };
    },
  };
}
