import { createHash, createHmac } from 'node:crypto';
import { access, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type ImageStore, ImageStoreUnreachable, type LocalFile } from './images.js';
import { createImageStore, parseS3Url, s3Images } from './images-s3.js';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const HOSTILE_KEYS = [
  '',
  '..',
  '../x',
  'a/../b',
  '/etc/passwd',
  'a//b',
  'a/',
  '.hidden',
  'a\0b',
  'a\\b',
  'a b',
  'ä',
  'x'.repeat(200),
];

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** Computes the expected signature of a request by the rules of Signature Version 4. */
function expectedSignature(request: IncomingMessage, body: Buffer, secret: string): string {
  const [, date, region, names] =
    /Credential=[^/]+\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+)/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  const url = new URL(request.url ?? '', 'http://x');
  const payload = String(request.headers['x-amz-content-sha256']);
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) return 'the body is not the signed one';
  const headers = (names ?? '').split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, url.pathname, '', headers.join(''), names, payload].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, date ?? ''), region ?? ''));
  return hmac(key, toSign).toString('hex');
}

const SECRET = 'se/cret+key=';

const LARGE = Buffer.alloc(3_000_000, 'abc');

async function localFile(bytes: Buffer): Promise<LocalFile> {
  const folder = await mkdtemp(path.join(tmpdir(), 'guildhall-images-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'file'), bytes);
  return { path: path.join(folder, 'file'), bytes: bytes.length, sha256: sha256(bytes) };
}

async function readAll(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) all.push(chunk);
  return Buffer.concat(all);
}

describe('Images in an S3-compatible store', () => {
  let server: Server;
  let port: number;
  let answerWith: { status: number; body: string } | 'nothing' | undefined;
  let lastLength: string | undefined;
  const objects = new Map<string, { body: Buffer; type: string }>();

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const body = await readBody(request);
      lastLength = request.headers['content-length'];
      if (answerWith === 'nothing') return;
      if (answerWith) return void response.writeHead(answerWith.status).end(answerWith.body);
      const signature = /Signature=([0-9a-f]+)/.exec(request.headers.authorization ?? '')?.[1];
      if (signature !== expectedSignature(request, body, SECRET)) {
        return void response.writeHead(403).end('<Code>SignatureDoesNotMatch</Code>');
      }
      const key = request.url ?? '';
      if (request.method === 'PUT') objects.set(key, { body, type: String(request.headers['content-type']) });
      if (request.method === 'DELETE') objects.delete(key);
      if (request.method !== 'GET')
        return void response.writeHead(request.method === 'PUT' ? 200 : 204).end();
      const object = objects.get(key);
      if (!object) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      response.writeHead(200, { 'content-type': object.type }).end(object.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    answerWith = undefined;
    objects.clear();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const storeAt = (secret = SECRET, timeoutMs = 120_000) =>
    s3Images(
      `http://KEY:${encodeURIComponent(secret)}@127.0.0.1:${port}/bucket/some/prefix?region=eu-west-3`,
      { timeoutMs },
    );

  it('are stored, read and deleted with a verifiable signature', async () => {
    const store = storeAt();
    expect(store.configured).toBe(true);
    await store.put('brands/1/logo.gif', GIF, 'image/gif');
    expect([...objects.keys()]).toEqual(['/bucket/some/prefix/brands/1/logo.gif']);
    expect(await store.get('brands/1/logo.gif')).toEqual({ bytes: GIF, contentType: 'image/gif' });
    await store.delete('brands/1/logo.gif');
    expect(await store.get('brands/1/logo.gif')).toBeUndefined();
    await store.delete('brands/1/logo.gif');
  });

  it('are uploaded from a file with length and signature, and read as a stream', async () => {
    const store = storeAt();
    const file = await localFile(LARGE);
    await store.putFile('attachments/1/a', file, 'text/plain');
    const kept = objects.get('/bucket/some/prefix/attachments/1/a')!;
    expect([kept.type, kept.body.equals(LARGE)]).toEqual(['text/plain', true]);
    expect(lastLength).toBe(String(LARGE.length));
    expect((await readAll(await store.open('attachments/1/a'))).equals(LARGE)).toBe(true);
    expect(await store.open('attachments/1/b')).toBeUndefined();
    answerWith = { status: 500, body: '' };
    await expect(store.putFile('a', file, 'text/plain')).rejects.toThrow(ImageStoreUnreachable);
    await expect(store.open('a')).rejects.toThrow(ImageStoreUnreachable);
  });

  it('throw ImageStoreUnreachable without the secret when the secret is wrong', async () => {
    const failure = await storeAt('wrong-secret')
      .put('a', GIF, 'image/gif')
      .catch((error: Error) => error);
    expect(failure).toBeInstanceOf(ImageStoreUnreachable);
    expect(String((failure as Error).stack)).not.toContain('wrong-secret');
  });

  it('throw ImageStoreUnreachable when the bucket is missing', async () => {
    answerWith = { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' };
    await expect(storeAt().get('a')).rejects.toThrow(ImageStoreUnreachable);
    await expect(storeAt().put('a', GIF, 'image/gif')).rejects.toThrow(ImageStoreUnreachable);
  });

  it('throw ImageStoreUnreachable when the store returns 500, hangs or is down', async () => {
    answerWith = { status: 500, body: '' };
    await expect(storeAt().get('a')).rejects.toThrow(ImageStoreUnreachable);
    answerWith = 'nothing';
    await expect(storeAt(SECRET, 50).get('a')).rejects.toThrow('no answer in time');
    await expect(s3Images('http://k:s@127.0.0.1:1/bucket').delete('a')).rejects.toThrow(
      ImageStoreUnreachable,
    );
  });

  it.each(HOSTILE_KEYS)('reject the key %j', async (key) => {
    await expect(storeAt().put(key, GIF, 'image/gif')).rejects.toThrow(TypeError);
  });
});

describe('S3_URL', () => {
  it.each(['nonsense', 'ftp://k:s@h/b', 'https://h/b', 'https://k@h/b', 'https://k:s@h', 'https://k:s@h//'])(
    '%s is rejected without repeating its secret',
    (url) => {
      expect(() => parseS3Url(url)).toThrow(/^S3_URL (is|must)/);
    },
  );
});

describe('Images on disk', () => {
  let folder: string;
  let store: ImageStore;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'guildhall-images-'));
    store = createImageStore({ kind: 'disk', folder });
    return () => rm(folder, { recursive: true, force: true });
  });

  it('are stored, replaced, read and deleted without leaving a temporary file', async () => {
    await store.put('brands/1/logo', Buffer.from('first'), 'image/gif');
    await store.put('brands/1/logo', GIF, 'image/gif');
    expect(await store.get('brands/1/logo')).toEqual({ bytes: GIF, contentType: 'image/gif' });
    expect(await readdir(path.join(folder, 'brands/1'))).toEqual(['logo']);
    await store.delete('brands/1/logo');
    expect(await store.get('brands/1/logo')).toBeUndefined();
    await store.delete('brands/1/logo');
  });

  it('are moved from a local file and read as a stream', async () => {
    const file = await localFile(LARGE);
    await store.putFile('attachments/1/a', file, 'text/plain');
    await expect(access(file.path)).rejects.toThrow('ENOENT');
    expect((await readAll(await store.open('attachments/1/a'))).equals(LARGE)).toBe(true);
    expect(await readdir(path.join(folder, 'attachments/1'))).toEqual(['a']);
    expect(await store.open('attachments/1')).toBeUndefined();
    expect(await store.open('attachments/1/b')).toBeUndefined();
    await expect(store.putFile('attachments/1/a/b', await localFile(LARGE), 'text/plain')).rejects.toThrow(
      ImageStoreUnreachable,
    );
  });

  it('are missing when a folder or file is in the place of a key', async () => {
    await store.put('a/b', GIF, 'image/gif');
    expect(await store.get('a')).toBeUndefined();
    expect(await store.get('a/b/c')).toBeUndefined();
  });

  it.each(HOSTILE_KEYS)('reject the key %j', async (key) => {
    await expect(store.put(key, GIF, 'image/gif')).rejects.toThrow(TypeError);
    await expect(store.get(key)).rejects.toThrow(TypeError);
    await expect(store.open(key)).rejects.toThrow(TypeError);
    await expect(store.delete(key)).rejects.toThrow(TypeError);
  });

  it('throw ImageStoreUnreachable when the folder is unusable', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await symlink('loop', path.join(folder, 'loop'));
    const broken = createImageStore({ kind: 'disk', folder: path.join(folder, 'file') });
    await expect(broken.put('a', GIF, 'image/gif')).rejects.toThrow(ImageStoreUnreachable);
    await expect(store.get('loop')).rejects.toThrow(ImageStoreUnreachable);
  });
});

describe('No image store', () => {
  it('reports that none is configured', async () => {
    const store = createImageStore({ kind: 'none' });
    expect(store.configured).toBe(false);
    await expect(store.put('a', GIF, 'image/gif')).rejects.toThrow(ImageStoreUnreachable);
    expect(await store.get('a')).toBeUndefined();
  });
});
