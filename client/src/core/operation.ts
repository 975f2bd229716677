/**
 * How the service pages a list. `key` is the field that identifies an item. A numbered list with a `cursor`
 * can also be read by cursor, starting with an empty one, which cannot skip or repeat items.
 */
export type Pages = { items: string | null; parameter: string; key?: string } & (
  | { style: 'cursor'; next: string }
  | { style: 'page'; size: string; usualSize?: number; cursor?: { parameter: string; next: string } }
  | { style: 'before'; from: string }
);

/** The generated description of an operation: where each argument goes, and what the answer is. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/api/v1/board/tasks/{task_id}`. */
  path: string;
  query?: readonly string[];
  /** Fields of the JSON body, or `whole` if the field `body` is the entire body. */
  body?: readonly string[] | 'whole';
  /** The service requires a body even if all its fields are omitted. */
  needsBody?: true;
  /** The content type of a body that is sent unchanged from the field `body`. */
  raw?: string;
  /** The field that contains a file. */
  file?: string;
  /** JSON by default. */
  answer?: 'text' | 'bytes' | 'nothing' | 'events';
  /**
   * The operation has several formats. The client requests JSON by default: with `ask` it has to send a
   * header, with `usual` it does not.
   */
  forms?: 'ask' | 'usual';
  /** A POST that changes nothing. */
  reads?: true;
  /** Takes an idempotency key, so that a repeated request creates nothing twice. */
  creates?: true;
  /** Requires the operator's key. */
  operator?: true;
  pages?: Pages;
}

export type Fields = Record<string, unknown>;
