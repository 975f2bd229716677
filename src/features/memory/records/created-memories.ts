import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { Kind } from './memory.record.js';

export interface CreatedMemory {
  memoryId: string;
  agentId: string;
  kind: Kind;
  title: string;
}

/** Tells those outside who listen of new memories, wherever they came from; with the commit that makes them. */
export const tellCreated = (
  outbox: Pick<WebhookOutbox, 'tell'>,
  tx: Tx,
  brandId: number,
  memories: readonly CreatedMemory[],
  at: Date,
): Promise<void> =>
  outbox.tell(
    tx,
    memories.map(({ memoryId, agentId, kind, title }) => ({
      brandId,
      type: 'memory.created' as const,
      at,
      data: { memory_id: memoryId, agent_id: agentId, kind, title },
    })),
  );
