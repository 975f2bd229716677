import { useSyncExternalStore } from 'react';
import { addAttachment, LARGEST_FILE } from '../api/attachments.js';
import { faultOf } from '../api/client.js';
import { refresh } from '../api/resource.js';

export interface Upload {
  id: number;
  cardId: string;
  commentId: string | undefined;
  file: File;
  /** Progress from 0 to 1. */
  share: number;
  /** Error message; undefined while the upload runs. */
  fault: string | undefined;
  /** Whether a retry would fail the same way. */
  hopeless: boolean;
}

/** Module state, because uploads continue while the user opens other pages. */
let uploads: readonly Upload[] = [];
const sending = new Map<number, AbortController>();
const listeners = new Set<() => void>();
let lastId = 0;

function put(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

const change = (id: number, part: Partial<Upload>): void =>
  put(uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useUploads(cardId: string): Upload[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  return all.filter((upload) => upload.cardId === cardId);
}

export function startUploads(cardId: string, files: readonly File[], commentId?: string): void {
  for (const file of files) {
    const id = ++lastId;
    const fault =
      file.size > LARGEST_FILE ? 'It is larger than 25 MB.' : file.size === 0 ? 'It is empty.' : undefined;
    const upload = { id, cardId, commentId, file, share: 0, fault, hopeless: fault !== undefined };
    put([...uploads, upload]);
    if (!fault) void send(upload);
  }
}

export function retryUpload(upload: Upload): void {
  change(upload.id, { share: 0, fault: undefined });
  void send(upload);
}

export function dropUpload(id: number): void {
  sending.get(id)?.abort();
  put(uploads.filter((upload) => upload.id !== id));
}

async function send({ id, cardId, commentId, file }: Upload): Promise<void> {
  const ending = new AbortController();
  sending.set(id, ending);
  try {
    await addAttachment({
      task_id: cardId,
      comment_id: commentId,
      file,
      signal: ending.signal,
      onProgress: (share) => change(id, { share }),
    });
    refresh(`attachments:${cardId}`);
    refresh(`card:${cardId}`);
    put(uploads.filter((upload) => upload.id !== id));
  } catch (error) {
    if (!ending.signal.aborted) change(id, { fault: faultOf(error).message });
  } finally {
    sending.delete(id);
  }
}
