import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ApiError, unprocessable } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { SpooledFile, UploadedFile, UploadRule } from '../declaration/route.js';
import { bodyTooLarge } from './body-encoding.js';
import type { SentFile } from './route-input.js';

/** Allowance for other fields and the form's own lines. */
const ROOM_BESIDE_THE_FILE = 4 * 1024 * 1024;

export const largestUpload = (rule: UploadRule): number => rule.maxBytes + ROOM_BESIDE_THE_FILE;

const notValid = () => unprocessable('The multipart body is not valid');

const HOUR_MS = 3_600_000;

/** Removes files left by a killed process. An upload takes less than an hour. */
export async function clearSpool(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.mtimeMs < performance.timeOrigin - HOUR_MS) await rm(path, { force: true });
  }
}

/** Passes the uploaded file to the work and removes it from disk afterwards. */
export async function withUpload<T>(
  request: FastifyRequest,
  rule: UploadRule,
  spoolFolder: string,
  work: (readFile: () => Promise<SentFile>) => T | Promise<T>,
): Promise<T> {
  let sent: SentFile = {};
  try {
    return await work(async () => {
      sent = await readUpload(request, rule, spoolFolder);
      return sent;
    });
  } finally {
    if (sent.spooled) await rm(sent.spooled.path, { force: true });
  }
}

async function readUpload(request: FastifyRequest, rule: UploadRule, spoolFolder: string): Promise<SentFile> {
  const { body, headers } = request;
  const isForm = body instanceof Readable;
  // An empty body counts as a form without the file.
  if (!isForm && headers['content-type'] !== undefined)
    throw new ApiError(415, 'Content-Type must be multipart/form-data');
  const form = isForm && { body, headers: headers as BusboyHeaders, rule };
  const sent = form && (await (rule.onDisk ? spool(form, spoolFolder) : collect(form)));
  if (!sent) throw rule.missing?.() ?? unprocessable(`${rule.field} is required`);
  if (!('path' in sent)) return { file: sent };
  // Requests with the same file count as equal, regardless of the encoding of their forms.
  request.bodyBytes = Buffer.from(`${sent.sha256} ${sent.name}`);
  return { spooled: sent };
}

interface Form {
  body: Readable;
  headers: BusboyHeaders;
  rule: UploadRule;
}

async function collect(form: Form): Promise<UploadedFile | undefined> {
  const chunks: Buffer[] = [];
  const end = await parseForm(form, (file) => void file.on('data', (chunk: Buffer) => chunks.push(chunk)));
  if (!end.found) return undefined;
  const bytes = Buffer.concat(chunks);
  const { maxBytes } = form.rule;
  return { bytes: bytes.subarray(0, maxBytes), tooLarge: end.overlong || bytes.length > maxBytes };
}

async function spool(form: Form, folder: string): Promise<SpooledFile | undefined> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, newId());
  const hash = createHash('sha256');
  let [bytes, name] = [0, ''];
  let written: Promise<void> = Promise.resolve();
  let incoming: Readable | undefined;
  async function* measure(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    const { found, overlong } = await parseForm(form, (file, filename) => {
      [incoming, name] = [file, filename];
      written = pipeline(file, measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return written;
    });
    if (!found) return undefined;
    const tooLarge = overlong || bytes > form.rule.maxBytes;
    if (!tooLarge) await written;
    else await discard(path, incoming, written);
    return { path, name, bytes, sha256: hash.digest('hex'), tooLarge };
  } catch (fault) {
    await discard(path, incoming, written);
    throw fault;
  }
}

async function discard(path: string, incoming: Readable | undefined, written: Promise<void>): Promise<void> {
  incoming?.destroy();
  await written.catch(() => {});
  await rm(path, { force: true });
}

function parseForm(
  { body, headers, rule }: Form,
  take: (file: BusboyFileStream, name: string) => Promise<void> | void,
): Promise<{ found: boolean; overlong: boolean }> {
  return new Promise((resolve, reject) => {
    const parser = openParser(headers, rule);
    let found = false;
    let size = 0;
    const stop = () => {
      body.unpipe(parser);
      // Reads the rest of the body, so that the sender receives the response.
      body.resume();
    };
    const refuse = (fault: unknown) => {
      stop();
      const overlong = fault instanceof ApiError && fault.status === 413;
      // The route has its own error for files that are too large.
      if (overlong && found) resolve({ found, overlong });
      else reject(fault instanceof ApiError ? fault : notValid());
    };
    const fail = (fault: unknown) => {
      stop();
      reject(fault as Error);
    };
    parser.on('file', (name, file, filename) => {
      file.on('error', refuse);
      if (name !== rule.field || found) return void file.resume();
      found = true;
      take(file, filename ?? '')?.catch(fail);
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => refuse(notValid()));
    parser.on('error', refuse);
    parser.on('finish', () => resolve({ found, overlong: false }));
    // Registered first, so that for a body in one chunk the file is found before the size limit is checked.
    body.pipe(parser);
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > largestUpload(rule)) refuse(bodyTooLarge(largestUpload(rule)));
    });
    body.on('error', refuse);
  });
}

function openParser(headers: BusboyHeaders, { maxBytes }: UploadRule) {
  const limits = { fileSize: maxBytes + 1, files: 4, fields: 20, parts: 30, fieldSize: 64 * 1024 };
  try {
    return new Busboy({ headers, limits });
  } catch {
    throw notValid();
  }
}
