/**
 * How a list goes on, as the service declares it; `key` tells its items apart. `cursor` of a list of numbered pages: it also
 * goes on by one, beginning with an empty one, and then no move within the list can skip or repeat anything.
 */
export type Pages = { items: string | null; parameter: string; key?: string } & (
  | { style: 'cursor'; next: string }
  | { style: 'page'; size: string; usualSize?: number; cursor?: { parameter: string; next: string } }
  | { style: 'before'; from: string }
);

/** What the generated areas say of an operation: where each field of the one flat object goes, and what comes back. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/board/tasks/{task_id}` */
  path: string;
  query?: readonly string[];
  /** Fields of the JSON body; `whole` when the field `body` is the body. */
  body?: readonly string[] | 'whole';
  /** The service wants a body even when no field of it is given. */
  needsBody?: true;
  /** The field `body` is the body as it is, of this type. */
  raw?: string;
  /** The field that holds a file. */
  file?: string;
  /** JSON unless said. */
  answer?: 'text' | 'bytes' | 'nothing' | 'events';
  /** It can answer in several forms; unless the caller wants another, JSON: it has to be asked for, or it comes by itself. */
  forms?: 'ask' | 'usual';
  /** A POST that only asks. */
  reads?: true;
  /** Takes an idempotency key, so that nothing is made twice. */
  creates?: true;
  /** Opened by the operator's key. */
  operator?: true;
  pages?: Pages;
}

export type Fields = Record<string, unknown>;
