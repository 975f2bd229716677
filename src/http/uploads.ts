import type { FastifyRequest } from 'fastify';
import { ApiError, unprocessable } from '../kernel/errors.js';
import type { UploadedFile, UploadRule } from './route.js';

export async function readUpload(request: FastifyRequest, rule: UploadRule): Promise<UploadedFile> {
  if (!request.isMultipart()) throw new ApiError(415, 'Content-Type must be multipart/form-data');
  const limits = { fileSize: rule.maxBytes + 1, files: 4, fields: 20, parts: 30, fieldSize: 64 * 1024 };
  let found: UploadedFile | undefined;
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type !== 'file') continue;
      const chunks: Buffer[] = [];
      for await (const chunk of part.file) chunks.push(chunk as Buffer);
      if (part.fieldname !== rule.field || found) continue;
      const bytes = Buffer.concat(chunks);
      found = { bytes: bytes.subarray(0, rule.maxBytes), tooLarge: bytes.length > rule.maxBytes };
    }
  } catch (fault) {
    if (fault instanceof ApiError) throw fault;
    throw unprocessable('The multipart body is not valid');
  }
  if (!found) throw unprocessable(`${rule.field} is required`);
  return found;
}
