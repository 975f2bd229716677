import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerOptions,
  SMTPServerSession,
} from 'smtp-server';
import { endsWithin } from '../../kernel/async.js';
import { type Clock, MINUTE } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { createMailboxQuota, type MaildirDelivery, openMaildirDelivery } from './maildir.js';

export interface Mailbox {
  userId: number;
  address: string;
}

interface MailIngressOptions {
  listen: { host: string; port: number };
  mailDomain: string;
  /** One Maildir per person, named by id, because addresses can change. */
  folder: string;
  /** Returns undefined when the name is unknown or no longer forwards. */
  findMailbox(name: string): Promise<Mailbox | undefined>;
  rateLimits: RateLimits;
  clock: Clock;
  log: Log;
  largestMessage?: number;
  largestMailbox?: number;
}

export interface MailIngress {
  address: { host: string; port: number };
  stop(): Promise<void>;
}

const LARGEST_MESSAGE = 20 * 1024 * 1024;
const LARGEST_MAILBOX = 1024 * 1024 * 1024;
const MOST_RECIPIENTS = 50;
const MOST_CONNECTIONS = 100;
const IDLE_MS = 60_000;
const STOP_MS = 3000;
const MESSAGES_PER_MINUTE = 300;
const UNKNOWN_NAMES_PER_MINUTE = 100;

class Refusal extends Error {
  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}

const unknownRecipient = () => new Refusal(550, '5.1.1 No such mailbox here');
const relayDenied = () => new Refusal(550, '5.7.1 This server does not relay');
const slowDown = () => new Refusal(451, '4.7.1 Too much at once, try again later');
const tryLater = () => new Refusal(451, '4.3.0 Cannot be delivered right now, try again later');
const messageTooLarge = (limit: number) =>
  new Refusal(552, `5.3.4 The message is larger than ${limit} bytes`);
const mailboxFull = () => new Refusal(552, '5.2.2 The mailbox is full');

/** Accepts only mail for people of the mail domain. */
export async function startMailIngress(options: MailIngressOptions): Promise<MailIngress> {
  const { listen, log } = options;
  const { SMTPServer } = await import('smtp-server');
  const receiver = createMailReceiver(options);
  const server = new SMTPServer(serverOptions(receiver, options));
  server.on('error', (fault) => log.warn({ err: fault }, 'A mail connection failed'));
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      server.server.off('error', reject);
      resolve();
    });
  });
  const { address, port } = server.server.address() as AddressInfo;
  log.info({ host: address, port, domain: options.mailDomain }, 'Mail is accepted');
  return {
    address: { host: address, port },
    async stop() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await endsWithin(STOP_MS, receiver.settled());
    },
  };
}

function serverOptions(
  receiver: MailReceiver,
  { mailDomain, largestMessage }: MailIngressOptions,
): SMTPServerOptions {
  const limits: SMTPServerOptions & { maxRecipients: number } = {
    size: largestMessage ?? LARGEST_MESSAGE,
    maxClients: MOST_CONNECTIONS,
    maxRecipients: MOST_RECIPIENTS,
    socketTimeout: IDLE_MS,
    closeTimeout: STOP_MS,
  };
  return {
    ...limits,
    name: mailDomain,
    banner: 'Guildhall',
    authOptional: true,
    // There is no sign-in, and the library's default certificate is public.
    disabledCommands: ['AUTH', 'STARTTLS', 'XCLIENT', 'XFORWARD'],
    hideSMTPUTF8: true,
    disableReverseLookup: true,
    onMailFrom: (_sender, session, done) => answer(done, () => receiver.admit(session)),
    onRcptTo: (recipient, session, done) => answer(done, () => receiver.judgeRecipient(recipient, session)),
    onData: (stream, session, done) => answer(done, () => receiver.take(stream, session)),
  };
}

const answer = (done: (fault?: Error | null) => void, work: () => Promise<void>): void => {
  work().then(
    () => done(),
    (fault) => done(fault instanceof Refusal ? fault : tryLater()),
  );
};

type MailReceiver = ReturnType<typeof createMailReceiver>;

function createMailReceiver(options: MailIngressOptions) {
  const { mailDomain, folder, clock, log, largestMessage = LARGEST_MESSAGE } = options;
  const perMinute = (name: string, points: number) =>
    options.rateLimits.limiter(name, { points, durationSeconds: MINUTE, ofAddresses: true });
  const messages = perMinute('mail-in-messages', MESSAGES_PER_MINUTE);
  const unknownNames = perMinute('mail-in-unknown', UNKNOWN_NAMES_PER_MINUTE);
  const quota = createMailboxQuota(options.largestMailbox ?? LARGEST_MAILBOX, clock);
  const maildirOf = ({ userId }: Mailbox) => path.join(folder, String(userId));

  const isLocal = (address: string): boolean =>
    address.slice(address.lastIndexOf('@') + 1).toLowerCase() === mailDomain;

  const findMailbox = async (address: string): Promise<Mailbox | undefined> =>
    isLocal(address)
      ? options.findMailbox(address.slice(0, address.lastIndexOf('@')).toLowerCase())
      : undefined;

  /** Returns each person once, even if several of their names were addressed. */
  const listMailboxes = async ({ envelope }: SMTPServerSession): Promise<Addressed[]> => {
    const byPerson = new Map<number, Addressed>();
    for (const { address } of envelope.rcptTo) {
      const mailbox = await findMailbox(address);
      if (mailbox && !byPerson.has(mailbox.userId))
        byPerson.set(mailbox.userId, { mailbox, recipient: address });
    }
    if (byPerson.size === 0) throw unknownRecipient();
    return [...byPerson.values()];
  };

  const deliver = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> => {
    const deliveries: MaildirDelivery[] = [];
    const now = clock.now();
    try {
      for (const addressed of await listMailboxes(session)) {
        const delivery = await openMaildirDelivery(maildirOf(addressed.mailbox), now);
        deliveries.push(delivery);
        await delivery.write(Buffer.from(traceHeaders(addressed, session, mailDomain, now)));
      }
      await copyMessage(stream, deliveries, largestMessage);
      for (const delivery of deliveries)
        if (!(await quota.take(delivery.maildir, delivery.size()))) throw mailboxFull();
      await Promise.all(deliveries.map((delivery) => delivery.commit()));
    } catch (fault) {
      await Promise.all(deliveries.map((delivery) => delivery.discard()));
      // The rest of the message must be read before the response.
      stream.resume();
      if (!(fault instanceof Refusal)) log.error({ err: fault }, 'Mail could not be delivered');
      throw fault;
    }
    log.info({ mailboxes: deliveries.length, bytes: stream.byteLength }, 'Mail delivered');
  };
  const underWay = new Set<Promise<void>>();

  return {
    async admit({ remoteAddress }: SMTPServerSession): Promise<void> {
      if (!(await messages.tryTake(remoteAddress)).ok) throw slowDown();
    },

    async judgeRecipient(
      { address }: SMTPServerAddress,
      { remoteAddress }: SMTPServerSession,
    ): Promise<void> {
      const mailbox = await findMailbox(address);
      if (mailbox) {
        if (!(await quota.hasAny(maildirOf(mailbox)))) throw mailboxFull();
        return;
      }
      // Limits guessing of names.
      if (!(await unknownNames.tryTake(remoteAddress)).ok) throw slowDown();
      throw isLocal(address) ? unknownRecipient() : relayDenied();
    },

    async take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
      const delivery = deliver(stream, session);
      underWay.add(delivery);
      try {
        await delivery;
      } finally {
        underWay.delete(delivery);
      }
    },

    /** Resolves when no delivery is in progress. */
    settled: () => Promise.allSettled(underWay),
  };
}

interface Addressed {
  mailbox: Mailbox;
  recipient: string;
}

async function copyMessage(
  stream: SMTPServerDataStream,
  deliveries: MaildirDelivery[],
  limit: number,
): Promise<void> {
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) continue;
    await Promise.all(deliveries.map((delivery) => delivery.write(chunk)));
  }
  if (bytes > limit) throw messageTooLarge(limit);
}

function traceHeaders(
  { mailbox, recipient }: Addressed,
  session: SMTPServerSession,
  mailDomain: string,
  now: Date,
): string {
  const sender = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
  const lines = [
    `Return-Path: <${headerText(sender)}>`,
    `Delivered-To: ${mailbox.address}`,
    `X-Original-To: ${headerText(recipient)}`,
    `Received: from ${headerText(session.hostNameAppearsAs || 'unknown')} ([${session.remoteAddress}])`,
    `\tby ${mailDomain} (Guildhall) with ${session.transmissionType} id ${session.id};`,
    `\t${now.toUTCString().replace('GMT', '+0000')}`,
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/** Text from the client must not start a header line. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, '?').slice(0, 500);
