import { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ApiError, unprocessable } from '../../kernel/errors.js';
import type { UploadedFile, UploadRule } from '../declaration/route.js';
import { bodyTooLarge } from './body-encoding.js';

/** Everything around the file itself: other fields, other files, the form's own lines. */
const ROOM_BESIDE_THE_FILE = 4 * 1024 * 1024;

export const largestUpload = (rule: UploadRule): number => rule.maxBytes + ROOM_BESIDE_THE_FILE;

const notValid = () => unprocessable('The multipart body is not valid');

/** The declared file out of the form that the request's body streams. */
export async function readUpload(request: FastifyRequest, rule: UploadRule): Promise<UploadedFile> {
  const { body, headers } = request;
  const isForm = body instanceof Readable;
  // Nothing at all is a form without the file; only something else is of another type.
  if (!isForm && headers['content-type'] !== undefined)
    throw new ApiError(415, 'Content-Type must be multipart/form-data');
  const found = isForm ? await parseForm(body, headers as BusboyHeaders, rule) : undefined;
  if (!found) throw rule.missing?.() ?? unprocessable(`${rule.field} is required`);
  return found;
}

function parseForm(
  body: Readable,
  headers: BusboyHeaders,
  rule: UploadRule,
): Promise<UploadedFile | undefined> {
  return new Promise((resolve, reject) => {
    const parser = openParser(headers, rule);
    let found: UploadedFile | undefined;
    let size = 0;
    const refuse = (fault: unknown) => {
      body.unpipe(parser);
      const overlong = fault instanceof ApiError && fault.status === 413;
      // Too much of the file itself is for the route to say, in its own words.
      if (overlong && found) resolve({ bytes: found.bytes, tooLarge: true });
      else reject(fault instanceof ApiError ? fault : notValid());
    };
    parser.on('file', (name, file) => {
      file.on('error', refuse);
      if (name !== rule.field || found) return void file.resume();
      const upload: UploadedFile = { bytes: Buffer.alloc(0), tooLarge: false };
      found = upload;
      const chunks: Buffer[] = [];
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      file.on('end', () => {
        const bytes = Buffer.concat(chunks);
        upload.bytes = bytes.subarray(0, rule.maxBytes);
        upload.tooLarge = bytes.length > rule.maxBytes;
      });
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => refuse(notValid()));
    parser.on('error', refuse);
    parser.on('finish', () => resolve(found));
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > largestUpload(rule)) refuse(bodyTooLarge(largestUpload(rule)));
    });
    body.on('error', refuse);
    body.pipe(parser);
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
