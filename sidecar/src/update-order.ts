import { type DeskFiles, readIfThere, writeWhole } from './desk-files.js';
import { sha256, type UpdateOrder } from './protocol.js';

export function parseOrder(body: string): UpdateOrder | undefined {
  try {
    const order = JSON.parse(body) as Partial<UpdateOrder>;
    const complete =
      typeof order.version === 'string' &&
      /^[0-9A-Za-z.+-]{1,64}$/.test(order.version) &&
      typeof order.url === 'string' &&
      /^https?:\/\//.test(order.url) &&
      typeof order.code_digest === 'string' &&
      /^[0-9a-f]{64}$/.test(order.code_digest) &&
      Number.isSafeInteger(order.sequence);
    return complete ? (order as UpdateOrder) : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the last order that was taken. A new token begins anew: orders proved with the old one are worth nothing. */
export function createOrderBook(files: Pick<DeskFiles, 'updateSequence'>, key: string) {
  const mark = sha256(key);

  function lastTaken(): number {
    const [sequence, of] = (readIfThere(files.updateSequence) ?? '').trim().split(' ');
    return of === mark ? Number(sequence) : 0;
  }

  return {
    isNew: (order: UpdateOrder): boolean => order.sequence > lastTaken(),
    take: (order: UpdateOrder): void =>
      writeWhole(files.updateSequence, `${order.sequence} ${mark}\n`, 0o600),
  };
}
