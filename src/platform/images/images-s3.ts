import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { traceCall } from '../../kernel/tracing.js';
import { assertImageKey, diskImages, type ImageStore, ImageStoreUnreachable } from './images.js';

const TIMEOUT_MS = 10_000;
const TRANSFER_MS = 120_000;

interface S3Settings {
  /** `https://host[:port]/bucket[/prefix]`, without a trailing slash. */
  base: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** Parses `https://KEY:SECRET@host[:port]/bucket[/prefix]?region=...`. Errors contain no secret. */
export function parseS3Url(text: string): S3Settings {
  if (!URL.canParse(text)) throw new TypeError('S3_URL is no URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new TypeError('S3_URL must begin with https:// or http://');
  }
  if (!url.username || !url.password) throw new TypeError('S3_URL must hold a key and a secret');
  const path = url.pathname.replace(/\/+$/, '');
  if (!/^\/[^/]+/.test(path)) throw new TypeError('S3_URL must name a bucket');
  return {
    base: `${url.protocol}//${url.host}${path}`,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    region: url.searchParams.get('region') || 'us-east-1',
  };
}

/** Any S3-compatible store. Uses path-style addresses, which need no wildcard host names. */
export function s3Images(url: string, options: { timeoutMs?: number } = {}): ImageStore {
  const { base, accessKeyId, secretAccessKey, region } = parseS3Url(url);
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;

  const ask = async <T>(
    key: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
    { patienceMs = timeoutMs, body }: { patienceMs?: number; body?: Readable } = {},
  ): Promise<T> => {
    assertImageKey(key);
    const ending = new AbortController();
    const { signal } = ending;
    // Limits the time until the response is read. Streams that are passed on follow their reader's pace.
    const patience = setTimeout(() => ending.abort(), patienceMs);
    try {
      const request = await aws.sign(`${base}/${key}`, init);
      const streamed = body && ({ body: Readable.toWeb(body), duplex: 'half' } as RequestInit);
      return await read(
        await traceCall(request.method, base, () =>
          fetch(request, { signal, redirect: 'error', ...streamed }),
        ),
      );
    } catch (error) {
      if (error instanceof ImageStoreUnreachable) throw error;
      throw new ImageStoreUnreachable(signal.aborted ? 'no answer in time' : 'connection failed', {
        cause: error,
      });
    } finally {
      clearTimeout(patience);
    }
  };

  return {
    configured: true,
    put(key, bytes, contentType) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      const headers = { 'content-type': contentType, 'x-amz-content-sha256': digest };
      return ask(key, { method: 'PUT', body: Buffer.from(bytes), headers }, expectSuccess);
    },
    get: (key) =>
      ask(key, { method: 'GET' }, async (response) => {
        if (await isMissingObject(response)) return undefined;
        if (!response.ok) throw await refusal(response);
        return {
          bytes: Buffer.from(await response.arrayBuffer()),
          contentType: response.headers.get('content-type') ?? 'application/octet-stream',
        };
      }),
    putFile(key, { path, bytes, sha256 }, contentType) {
      const headers = {
        'content-type': contentType,
        'content-length': String(bytes),
        'x-amz-content-sha256': sha256,
      };
      const sending = { patienceMs: TRANSFER_MS, body: createReadStream(path) };
      return ask(key, { method: 'PUT', headers }, expectSuccess, sending);
    },
    open: (key) =>
      ask(key, { method: 'GET' }, async (response) => {
        if (await isMissingObject(response)) return undefined;
        if (!response.ok) throw await refusal(response);
        return response.body ?? Readable.from([]);
      }),
    delete: (key) =>
      ask(key, { method: 'DELETE' }, async (response) => {
        if (!(await isMissingObject(response))) await expectSuccess(response);
      }),
  };
}

async function expectSuccess(response: Response): Promise<void> {
  if (!response.ok) throw await refusal(response);
  await response.arrayBuffer();
}

/** A missing bucket also returns 404, but means that the installation is broken. */
async function isMissingObject(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  return !(await response.clone().text()).includes('NoSuchBucket');
}

async function refusal(response: Response): Promise<ImageStoreUnreachable> {
  await response.body?.cancel();
  return new ImageStoreUnreachable(`status ${response.status}`);
}

type ImageStoreSettings = { kind: 'disk'; folder: string } | { kind: 's3'; url: string } | { kind: 'none' };

export function createImageStore(settings: ImageStoreSettings): ImageStore {
  switch (settings.kind) {
    case 'disk':
      return diskImages(settings.folder);
    case 's3':
      return s3Images(settings.url);
    case 'none':
      return noImages();
  }
}

function noImages(): ImageStore {
  const refuse = async (): Promise<never> => {
    throw new ImageStoreUnreachable('none is configured');
  };
  const find = async () => undefined;
  return { configured: false, put: refuse, putFile: refuse, get: find, open: find, delete: async () => {} };
}
