import { type Attachment, Guildhall } from '../../../client/src/index.js';
import { guildhall, watched } from './client.js';

export type { Attachment };

/** The service's limit, checked before the upload starts. */
export const LARGEST_FILE = 25 * 1024 * 1024;

export const listAttachments = (task_id: string, signal?: AbortSignal) =>
  guildhall.listAttachments({ task_id }, { signal });

export const deleteAttachment = (task_id: string, attachment_id: string) =>
  guildhall.deleteAttachment({ task_id, attachment_id });

interface Sending {
  task_id: string;
  comment_id: string | undefined;
  file: File;
  signal: AbortSignal;
  onProgress(share: number): void;
}

export const addAttachment = ({ signal, onProgress, ...fields }: Sending): Promise<Attachment> =>
  new Guildhall({ url: '', retry: { times: 0 }, fetch: watched(sendTelling(onProgress)) }).addAttachment(
    fields,
    {
      signal,
    },
  );

/** `fetch` with upload progress, which only XMLHttpRequest reports. */
const sendTelling =
  (onProgress: (share: number) => void): typeof fetch =>
  (input, init = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init.method ?? 'GET', String(input));
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onload = () => {
        const { status, responseText } = request;
        const headers = { 'x-request-id': request.getResponseHeader('x-request-id') ?? '' };
        resolve(new Response(status === 204 ? null : responseText, { status, headers }));
      };
      request.onerror = () => reject(new TypeError('The connection was lost'));
      request.onabort = () => reject(init.signal?.reason);
      init.signal?.addEventListener('abort', () => request.abort());
      request.send(init.body as FormData);
    });
