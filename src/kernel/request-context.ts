import { AsyncLocalStorage } from 'node:async_hooks';

const requestIds = new AsyncLocalStorage<string>();

/** Runs the work of one request; what it records can name the request without every room passing it on. */
export const withinRequest = <T>(requestId: string, work: () => T): T => requestIds.run(requestId, work);

export const currentRequestId = (): string | undefined => requestIds.getStore();
