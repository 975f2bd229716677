import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import { createRateLimits } from '../limits/rate-limits.js';
import { type MailIngress, startMailIngress } from './mail-in.js';

const LIMIT = 10_000;
const MAILBOX_LIMIT = 20_000;
let ingress: MailIngress;
let folder: string;
let now: number;

beforeEach(async () => {
  now = Date.now();
  folder = await mkdtemp(join(tmpdir(), 'guildhall-mail-'));
  ingress = await startMailIngress({
    listen: { host: '127.0.0.1', port: 0 },
    mailDomain: 'mail.example.test',
    folder,
    findMailbox: async (name) => {
      if (name === 'broken') throw new Error('the database is away');
      return name === 'ada' ? { userId: 1, address: 'ada@mail.example.test' } : undefined;
    },
    rateLimits: createRateLimits({ clock: systemClock }),
    clock: { now: () => new Date(now) },
    log: silentLog,
    largestMessage: LIMIT,
    largestMailbox: MAILBOX_LIMIT,
  });
});
afterEach(async () => {
  await ingress.stop();
  await rm(folder, { recursive: true });
});

/**
 * Sends the lines one by one, each after the response to the one before, and returns the codes of all
 * responses.
 */
async function converse(said: string[], hangUp = false): Promise<number[]> {
  const lines = hangUp ? said : [...said, 'QUIT'];
  const socket = connect(ingress.address.port, ingress.address.host);
  const codes: number[] = [];
  let text = '';
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(codes));
    socket.on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (line[3] === '-') continue;
        codes.push(Number(line.slice(0, 3)));
        const next = lines.shift();
        if (next === undefined) continue;
        if (hangUp && lines.length === 0) socket.end(`${next}\r\n`);
        else socket.write(`${next}\r\n`);
      }
    });
  });
}

const greeting = ['EHLO test', 'MAIL FROM:<sender@elsewhere.test>'];
const delivered = async () => readdir(join(folder, '1', 'new')).catch(() => []);
const unfinished = async () => readdir(join(folder, '1', 'tmp')).catch(() => []);

describe('Mail ingress', () => {
  it('delivers a message unchanged after its trace headers', async () => {
    const body = 'Subject: Hi\r\n\r\n..dots\r\nend';
    const codes = await converse([...greeting, 'RCPT TO:<ADA@Mail.Example.test>', 'DATA', `${body}\r\n.`]);
    expect(codes.slice(0, 6)).toEqual([220, 250, 250, 250, 354, 250]);
    const [file] = await delivered();
    const letter = await readFile(join(folder, '1', 'new', file!), 'utf8');
    expect(letter).toMatch(
      /^Return-Path: <sender@elsewhere\.test>\r\nDelivered-To: ada@mail\.example\.test\r\n/,
    );
    expect(letter.endsWith('Subject: Hi\r\n\r\n.dots\r\nend\r\n')).toBe(true);
  });

  it('returns 550 for unknown names and other domains', async () => {
    const codes = await converse([
      ...greeting,
      'RCPT TO:<ben@mail.example.test>',
      'RCPT TO:<ada@elsewhere.test>',
      'DATA',
    ]);
    expect(codes.slice(3, 6)).toEqual([550, 550, 503]);
  });

  it('returns 451 when the lookup of the name fails', async () => {
    expect((await converse([...greeting, 'RCPT TO:<broken@mail.example.test>']))[3]).toBe(451);
  });

  it('rejects a message over the size limit and stores nothing', async () => {
    const declared = await converse(['EHLO test', `MAIL FROM:<a@b.test> SIZE=${LIMIT + 1}`]);
    expect(declared[2]).toBe(552);
    const line = `${'x'.repeat(98)}\r\n`;
    const large = `Subject: Large\r\n\r\n${line.repeat(LIMIT / 100)}.`;
    const codes = await converse([...greeting, 'RCPT TO:<ada@mail.example.test>', 'DATA', large]);
    expect(codes[5]).toBe(552);
    expect([await delivered(), await unfinished()]).toEqual([[], []]);
  });

  it('rejects a message that exceeds the mailbox quota, and accepts it after mail was removed', async () => {
    const send = (bytes: number) =>
      converse([
        ...greeting,
        'RCPT TO:<ada@mail.example.test>',
        'DATA',
        `Subject: Hi\r\n\r\n${'x'.repeat(bytes)}\r\n.`,
      ]);
    expect((await send(9000))[5]).toBe(250);
    expect((await send(9000))[5]).toBe(250);
    expect((await send(9000))[5]).toBe(552);
    expect([(await delivered()).length, await unfinished()]).toEqual([2, []]);
    for (const name of await delivered()) await rm(join(folder, '1', 'new', name));
    now += 61_000;
    expect((await send(9000))[5]).toBe(250);
  });

  it('rejects a recipient whose mailbox is full, including mail from other programs', async () => {
    await mkdir(join(folder, '1', 'cur'), { recursive: true });
    await writeFile(join(folder, '1', 'cur', 'from-elsewhere'), Buffer.alloc(MAILBOX_LIMIT));
    expect((await converse([...greeting, 'RCPT TO:<ada@mail.example.test>']))[3]).toBe(552);
  });

  it('offers neither authentication nor STARTTLS', async () => {
    expect((await converse(['EHLO test', 'AUTH PLAIN AGEAYg==', 'STARTTLS'])).slice(2, 4)).toEqual([
      500, 500,
    ]);
  });

  it('delivers nothing when the sender disconnects in the middle', async () => {
    await converse([...greeting, 'RCPT TO:<ada@mail.example.test>', 'DATA', 'Subject: half'], true);
    await ingress.stop();
    expect([await delivered(), await unfinished()]).toEqual([[], []]);
  });

  it('finishes all deliveries before it stops', async () => {
    const senders = Array.from({ length: 30 }, () =>
      converse([...greeting, 'RCPT TO:<ada@mail.example.test>', 'DATA', 'Subject: half'], true),
    );
    await Promise.all(senders);
    await ingress.stop();
    const left = await unfinished();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([left, await unfinished()]).toEqual([[], []]);
  });

  it('rate limits a sender that tries many names', async () => {
    const guesses = Array.from({ length: 101 }, (_, index) => `RCPT TO:<guess-${index}@mail.example.test>`);
    const codes = (await converse([...greeting, ...guesses])).slice(3);
    expect(codes.slice(0, 100)).toEqual(Array(100).fill(550));
    expect(codes[100]).toBe(451);
  });

  it('rate limits a sender of many messages', async () => {
    const messages = Array.from({ length: 301 }, () => ['MAIL FROM:<a@elsewhere.test>', 'RSET']).flat();
    const codes = (await converse(['EHLO test', ...messages]))
      .slice(2, -1)
      .filter((_, index) => index % 2 === 0);
    expect(codes).toEqual([...Array(300).fill(250), 451]);
  });
});
