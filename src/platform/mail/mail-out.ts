import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { SendMailOptions, Transporter } from 'nodemailer';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { replaceFile } from '../files/atomic-file.js';

/** Reads the first line of a mail server. */
export function readGreeting(
  { host, port }: { host: string; port: number },
  patienceMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('The mail server is silent')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The mail server hung up')));
    socket.once('data', (greeting) => {
      resolve(greeting.toString('latin1'));
      socket.end('QUIT\r\n');
    });
  });
}

export interface OutgoingMail {
  to: string;
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
}

export interface Mailer {
  send(letter: OutgoingMail): Promise<void>;
  /** Removes stored mails to the addresses. Mails that a relay accepted cannot be removed. */
  forget(addresses: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The reason is for the log only. */
export class MailNotSent extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`Mail was not sent: ${reason}`, options);
    this.name = 'MailNotSent';
  }
}

interface MailerOptions {
  mailDomain: string;
  clock: Clock;
  log: Log;
}

/** Without a relay each mail becomes an `.eml` file. */
export function outboxMailer(options: MailerOptions & { folder: string }): Mailer {
  const { folder, clock, log } = options;
  const transport = transportOnDemand({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(letter) {
      const message = compose(letter, options);
      try {
        const { message: bytes } = await (await transport.open()).sendMail(message);
        await mkdir(folder, { recursive: true });
        const name = `${clock.now().toISOString().replace(/[:.]/g, '-')}-${randomUUID()}.eml`;
        await replaceFile(path.join(folder, name), bytes as Buffer, { mode: 0o600 });
        log.info({ to: letter.to, file: name }, 'Mail written to the outbox');
      } catch (error) {
        throw new MailNotSent((error as NodeJS.ErrnoException).code ?? 'outbox error', { cause: error });
      }
    },
    async forget(addresses) {
      const headers = new Set(addresses.map((address) => `to: ${address.toLowerCase()}`));
      const names = await readdir(folder).catch(ignoreMissing);
      for (const name of names ?? []) {
        const file = path.join(folder, name);
        const letter = (await readFile(file, 'utf8').catch(ignoreMissing)) ?? '';
        const [head = ''] = letter.split('\r\n\r\n');
        // Long headers continue on the next line.
        const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
        const to = lines.find((line) => /^to:/i.test(line));
        if (to && headers.has(to.toLowerCase())) await rm(file, { force: true });
      }
    },
    close: transport.close,
  };
}

const ignoreMissing = (error: unknown): undefined => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
};

export function smtpMailer(options: MailerOptions & { url: string; timeoutMs?: number }): Mailer {
  const { url, log, timeoutMs = 10_000 } = options;
  const transport = transportOnDemand({
    url,
    requireTLS: mustEncrypt(url),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  return {
    async send(letter) {
      const message = compose(letter, options);
      try {
        await (await transport.open()).sendMail(message);
        log.info({ to: letter.to }, 'Mail handed to the relay');
      } catch (error) {
        // The relay's message may quote the mail or credentials, so only the code is reported.
        const { code, responseCode } = error as { code?: string; responseCode?: number };
        throw new MailNotSent(responseCode ? `relay said ${responseCode}` : (code ?? 'relay error'));
      }
    },
    forget: async () => {},
    close: transport.close,
  };
}

/** Requires STARTTLS, so that neither an attacker nor a plain relay receives mails or credentials. */
function mustEncrypt(url: string): boolean {
  const { searchParams } = new URL(url);
  return searchParams.get('requireTLS') !== 'false' && searchParams.get('ignoreTLS') !== 'true';
}

/** Loaded with the first mail, because the library is large. */
function transportOnDemand(settings: object) {
  let opened: Promise<Transporter> | undefined;
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    return createTransport(settings) as Transporter;
  };
  return {
    open: () => {
      opened ??= open();
      return opened;
    },
    close: async () => {
      (await opened)?.close();
    },
  };
}

/** Uses exactly one recipient, and no input can start a header line. */
function compose(letter: OutgoingMail, { mailDomain, clock }: MailerOptions): SendMailOptions {
  return {
    from: { name: 'Guildhall', address: `no-reply@${mailDomain}` },
    to: mailbox(letter.to),
    replyTo: letter.replyTo === undefined ? undefined : mailbox(letter.replyTo),
    subject: singleLine(letter.subject),
    text: letter.text,
    html: letter.html,
    date: clock.now(),
    messageId: `<${randomUUID()}@${mailDomain}>`,
    headers: { 'auto-submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not pass
const NO_PLAIN_ADDRESS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029"(),:;<>[\\\]]/;

function mailbox(address: string): { name: string; address: string } {
  const parts = address.split('@');
  if (
    NO_PLAIN_ADDRESS.test(address) ||
    parts.length !== 2 ||
    !parts[0] ||
    !parts[1] ||
    address.length > 320
  ) {
    throw new MailNotSent('the address is no single plain mailbox');
  }
  return { name: '', address };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not pass
const LINE_BREAKERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

const singleLine = (subject: string): string => subject.replace(LINE_BREAKERS, ' ').trim();
