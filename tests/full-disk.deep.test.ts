import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/kernel/clock.js';
import { silentLog } from '../src/kernel/log.js';
import { diskImages, ImageStoreUnreachable } from '../src/platform/images/images.js';
import { createRateLimits } from '../src/platform/limits/rate-limits.js';
import { startMailIngress } from '../src/platform/mail/mail-in.js';
import { MailNotSent, outboxMailer } from '../src/platform/mail/mail-out.js';

/** A file system of 256 KB that the tests can fill to the last byte and empty again. */

let disk: string;
let isMounted = false;

beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'guildhall-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk], { stdio: 'ignore' });
    isMounted = true;
  } catch {
    console.warn('Skipped: only who may mount a file system can fill a disk.');
  }
});

afterAll(async () => {
  if (isMounted) execFileSync('umount', [disk]);
  await rm(disk, { recursive: true });
});

beforeEach(({ skip }) => {
  if (!isMounted) skip();
});

const filler = () => join(disk, 'filler');
async function fill(): Promise<void> {
  // Fills it completely: afterwards an empty file can be created, but nothing can be written to it.
  for (let bytes = 256 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2))
    await writeFile(filler(), Buffer.alloc(bytes), { flag: 'a' }).catch(() => {});
}
const empty = () => rm(filler());

describe('A full disk', () => {
  it('makes the image store unreachable, keeps the previous image, and leaves no partial file', async () => {
    const images = diskImages(join(disk, 'images'));
    const png = (colour: string) =>
      sharp({ create: { width: 8, height: 8, channels: 3, background: colour } })
        .png()
        .toBuffer();
    const [red, blue] = [await png('red'), await png('blue')];
    await images.put('photos/1', red, 'image/png');
    await fill();
    await expect(images.put('photos/1', blue, 'image/png')).rejects.toThrow(ImageStoreUnreachable);
    expect((await images.get('photos/1'))?.bytes).toEqual(red);
    expect(await readdir(join(disk, 'images', 'photos'))).toEqual(['1']);
    await empty();
    await images.put('photos/1', blue, 'image/png');
    expect((await images.get('photos/1'))?.bytes).toEqual(blue);
  });

  it('fails an outgoing mail, which can be sent again, and leaves no partial file', async () => {
    const folder = join(disk, 'outbox');
    const mailer = outboxMailer({
      folder,
      mailDomain: 'mail.example.test',
      clock: systemClock,
      log: silentLog,
    });
    const letter = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };
    await mailer.send(letter);
    await fill();
    await expect(mailer.send(letter)).rejects.toThrow(MailNotSent);
    expect(await readdir(folder)).toHaveLength(1);
    await empty();
    await mailer.send(letter);
    expect(await readdir(folder)).toHaveLength(2);
    await mailer.close();
  });

  it('defers incoming mail with 451, and keeps no partial file', async () => {
    const folder = join(disk, 'mail');
    const ingress = await startMailIngress({
      listen: { host: '127.0.0.1', port: 0 },
      mailDomain: 'mail.example.test',
      folder,
      findMailbox: async () => ({ userId: 1, address: 'ada@mail.example.test' }),
      rateLimits: createRateLimits({ clock: systemClock }),
      clock: systemClock,
      log: silentLog,
    });
    expect(await bring(ingress.address.port)).toBe(250);
    await fill();
    expect(await bring(ingress.address.port)).toBe(451);
    const kept = async () => [
      await readdir(join(folder, '1', 'new')),
      await readdir(join(folder, '1', 'tmp')),
    ];
    expect((await kept()).map((names) => names.length)).toEqual([1, 0]);
    await empty();
    expect(await bring(ingress.address.port)).toBe(250);
    expect((await kept()).map((names) => names.length)).toEqual([2, 0]);
    await ingress.stop();
  });
});

/** Delivers one mail and resolves to the last SMTP reply code. */
function bring(port: number): Promise<number> {
  const lines = [
    'EHLO test',
    'MAIL FROM:<sender@elsewhere.test>',
    'RCPT TO:<ada@mail.example.test>',
    'DATA',
    `Subject: Hi\r\n\r\n${'x'.repeat(5000)}\r\n.`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let code = 0;
    socket.on('error', reject);
    socket.on('close', () => resolve(code));
    socket.on('data', (bytes) => {
      for (const line of String(bytes).trimEnd().split('\r\n')) {
        if (line[3] === '-') continue;
        code = Number(line.slice(0, 3));
        const next = lines.shift();
        if (next === undefined) socket.end();
        else socket.write(`${next}\r\n`);
      }
    });
  });
}
