import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { beforeEach, describe, expect, it } from 'vitest';
import { MovableClock } from '../../kernel/clock.js';
import { type Log, silentLog } from '../../kernel/log.js';
import { MailNotSent, type OutgoingMail, outboxMailer, smtpMailer } from './mail-out.js';

const LETTER: OutgoingMail = {
  to: 'ada@example.com',
  subject: 'Willkommen, Zoë ✓',
  text: 'the secret link',
  html: '<p>the secret link</p>',
};
const HOSTILE_ADDRESSES = [
  '',
  'ada',
  'ada@',
  'a@b@c',
  'ada@example.com, eve@example.com',
  'ada@example.com;eve@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com\nBcc: eve@example.com',
  'Ada <ada@example.com>',
  'group:ada@example.com',
  '"a\r\nb"@example.com',
  'ada @example.com',
  `${'a'.repeat(400)}@example.com`,
];

const headersOf = (message: string) => message.slice(0, message.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);

describe('Mail in the outbox folder', () => {
  let folder: string;
  const logged: string[] = [];
  const log: Log = { ...silentLog, info: (...line) => void logged.push(JSON.stringify(line)) };

  beforeEach(async () => {
    logged.length = 0;
    folder = await mkdtemp(path.join(tmpdir(), 'guildhall-outbox-'));
    return () => rm(folder, { recursive: true, force: true });
  });
  const outbox = () =>
    outboxMailer({
      folder: path.join(folder, 'made'),
      mailDomain: 'mail.test',
      clock: new MovableClock(),
      log,
    });
  const read = async () => {
    const names = await readdir(path.join(folder, 'made'));
    return { names, message: await readFile(path.join(folder, 'made', names[0]!), 'utf8') };
  };

  it('is one .eml file per message with its headers and both bodies', async () => {
    await outbox().send({ ...LETTER, replyTo: 'help@example.com' });
    const { names, message } = await read();
    expect(names).toEqual([expect.stringMatching(/^\d{4}-.*\.eml$/)]);
    const headers = headersOf(message);
    expect(headers).toContain('From: Guildhall <no-reply@mail.test>');
    expect(headers).toContain('To: ada@example.com');
    expect(headers).toContain('Reply-To: help@example.com');
    expect(headers).toContain('MIME-Version: 1.0');
    expect(headers.some((header) => header.startsWith('Message-ID: <'))).toBe(true);
    expect(message).toContain('text/plain');
    expect(message).toContain('text/html');
  });

  it('is logged without subject and body', async () => {
    await outbox().send(LETTER);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('ada@example.com');
    expect(logged[0]).not.toMatch(/secret|Willkommen/);
  });

  it('has no additional header when the subject contains line breaks', async () => {
    const plain = { ...LETTER, subject: 'Hello' };
    await outbox().send(plain);
    const before = headersOf((await read()).message).length;
    await rm(path.join(folder, 'made'), { recursive: true });
    await outbox().send({ ...LETTER, subject: 'Hello\r\nBcc: eve@example.com\r\n\r\n<b>body</b>\u2028x\0' });
    const headers = headersOf((await read()).message);
    expect(headers).toHaveLength(before);
    expect(headers.some((header) => /^bcc:/i.test(header))).toBe(false);
    expect(headers.find((header) => header.startsWith('Subject:'))).toContain('Hello Bcc: eve@example.com');
  });

  it.each(HOSTILE_ADDRESSES)('is rejected for the address %j', async (address) => {
    await expect(outbox().send({ ...LETTER, to: address })).rejects.toThrow(MailNotSent);
    await expect(outbox().send({ ...LETTER, replyTo: address })).rejects.toThrow(MailNotSent);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('Mail through a relay', () => {
  async function relay(onData?: () => Error | undefined, offersTls = false) {
    const received: { from: string; to: string[]; message: string; secure: boolean }[] = [];
    const signedIn: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: offersTls ? [] : ['STARTTLS'],
      logger: false,
      onAuth({ username, password }, { secure }, done) {
        signedIn.push(`${username} ${secure ? 'in secret' : 'in the open'}`);
        if (password === 'right') done(null, { user: username });
        else done(new Error('no'));
      },
      onData(stream, { envelope, secure }, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          received.push({
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
            message: Buffer.concat(chunks).toString('utf8'),
            secure,
          });
          done(onData?.());
        });
      },
      allowInsecureAuth: true,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    return { received, signedIn, port, close };
  }
  const mailerAt = (url: string, log = silentLog) =>
    smtpMailer({ url, mailDomain: 'mail.test', clock: new MovableClock(), log, timeoutMs: 2_000 });

  it('is sent to exactly one recipient', async () => {
    const { received, port, close } = await relay();
    const mailer = mailerAt(`smtp://user:right@127.0.0.1:${port}?ignoreTLS=true`);
    await mailer.send(LETTER);
    expect(received).toMatchObject([{ from: 'no-reply@mail.test', to: ['ada@example.com'] }]);
    expect(headersOf(received[0]!.message)).toContain('From: Guildhall <no-reply@mail.test>');
    await mailer.close();
    await close();
  });

  it('throws MailNotSent without credentials and content when the relay rejects it or is down', async () => {
    const { port, close } = await relay(() => new Error('refused: the secret link'));
    for (const url of [
      `smtp://127.0.0.1:${port}?requireTLS=false`,
      `smtp://user:wrong-pass@127.0.0.1:${port}?requireTLS=false`,
      'smtp://127.0.0.1:1',
    ]) {
      const failure = (await mailerAt(url)
        .send(LETTER)
        .catch((error: Error) => error)) as Error;
      expect(failure).toBeInstanceOf(MailNotSent);
      expect(failure.stack).not.toMatch(/secret|wrong-pass/);
    }
    await close();
  });

  describe('Required STARTTLS', () => {
    /** The relay in the test has a self-signed certificate. */
    const OWN_CERTIFICATE = 'tls.rejectUnauthorized=false';
    const attempt = (url: string) =>
      mailerAt(url)
        .send(LETTER)
        .then(
          () => 'sent',
          (error: Error) => error.message,
        );

    it('encrypts message and credentials when the relay offers it', async () => {
      const { received, signedIn, port, close } = await relay(undefined, true);
      expect(await attempt(`smtp://user:right@127.0.0.1:${port}?${OWN_CERTIFICATE}`)).toBe('sent');
      expect(received).toMatchObject([{ secure: true }]);
      expect(signedIn).toEqual(['user in secret']);
      await close();
    });

    it('sends nothing to a relay with an untrusted certificate', async () => {
      const { received, signedIn, port, close } = await relay(undefined, true);
      expect(await attempt(`smtp://user:right@127.0.0.1:${port}`)).toMatch(/^Mail was not sent: /);
      expect([received, signedIn]).toEqual([[], []]);
      await close();
    });

    it.each([
      '',
      '?requireTLS=true',
      '?requireTLS=true&ignoreTLS=true',
      '?ignoreTLS=1',
      '?opportunisticTLS=true',
      '?requireTLS=no',
    ])('sends nothing to a relay that does not offer it: %j', async (words) => {
      const { received, signedIn, port, close } = await relay();
      expect(await attempt(`smtp://user:right@127.0.0.1:${port}${words}`)).toMatch(/^Mail was not sent: /);
      expect([received, signedIn]).toEqual([[], []]);
      await close();
    });

    it.each(['?requireTLS=false', '?ignoreTLS=true'])('is not required with %s', async (words) => {
      const { received, port, close } = await relay();
      expect(await attempt(`smtp://user:right@127.0.0.1:${port}${words}`)).toBe('sent');
      expect(received).toMatchObject([{ secure: false }]);
      await close();
    });

    it('is used with requireTLS=false when the relay offers it', async () => {
      const { received, port, close } = await relay(undefined, true);
      expect(await attempt(`smtp://user:right@127.0.0.1:${port}?requireTLS=false&${OWN_CERTIFICATE}`)).toBe(
        'sent',
      );
      expect(received).toMatchObject([{ secure: true }]);
      await close();
    });
  });
});
