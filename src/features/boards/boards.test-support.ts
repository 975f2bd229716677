import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import type { Board } from './boards.schemas.js';
import type { FullCard } from './cards/cards.schemas.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Headers = Record<string, string>;

interface Server {
  inject(request: InjectOptions): Promise<Response>;
}

export function boardCaller(world: Server, credential: Headers) {
  const call = (method: Method, path: string, payload?: unknown, headers: Headers = {}) =>
    world.inject({
      method,
      url: `/api/v1/board${path}`,
      headers: {
        ...credential,
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload !== undefined && {
        payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
      }),
    });

  async function made<T>(path: string, payload: object): Promise<T> {
    const response = await call('POST', path, payload);
    if (response.statusCode !== 201) throw new Error(`POST ${path}: ${response.statusCode} ${response.body}`);
    return response.json() as T;
  }

  return {
    call,
    get: (path: string, headers?: Headers) => call('GET', path, undefined, headers),
    patch: (path: string, payload: unknown, headers?: Headers) => call('PATCH', path, payload, headers),
    board: (fields: object = {}) => made<Board>('/boards', { name: 'Product Build', ...fields }),
    card: (boardId: string, fields: object = {}) =>
      made<FullCard>(`/boards/${boardId}/tasks`, { title: 'A card', ...fields }),
    comment: (cardId: string, body = 'A comment') =>
      made<{ id: string }>(`/tasks/${cardId}/comments`, { body }),
  };
}

export type BoardCaller = ReturnType<typeof boardCaller>;

export const MISSING = '01939f7e-0000-7000-8000-000000000000';
