import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { traceCall } from '../../kernel/tracing.js';
import { assertImageKey, type ImageStore, ImageStoreUnreachable } from './images.js';

const TIMEOUT_MS = 10_000;
/** For sending a file that is too large for memory. */
const TRANSFER_MS = 120_000;

export interface S3Settings {
  /** `https://host[:port]/bucket[/prefix]`, without a slash at the end. */
  base: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** Reads `https://KEY:SECRET@host[:port]/bucket[/prefix]?region=...`; throws a sentence that holds no secret. */
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

/** Any S3-compatible store, addressed path-style so that a host name without wildcards is enough. */
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
    // Until it is read: what is handed on unread is read at the pace of whoever asked for it.
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

/** A missing bucket answers 404 too, but that is a broken installation and not a missing image. */
async function isMissingObject(response: Response): Promise<boolean> {
  if (response.status !== 404) return false;
  return !(await response.clone().text()).includes('NoSuchBucket');
}

async function refusal(response: Response): Promise<ImageStoreUnreachable> {
  await response.body?.cancel();
  return new ImageStoreUnreachable(`status ${response.status}`);
}
