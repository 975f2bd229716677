/** One measured endpoint. A feature adds its rows in bench/rows/<feature>.ts as `export const rows: BenchRow[]`. */
export interface BenchRow {
  name: string;
  /** What it has to reach of its floor: reads 0.8, writes 0.6. A tool is another way to the same read, and has no bar. */
  kind: 'read' | 'write' | 'tool';
  /** Brings what the request needs into being, over HTTP; its result is handed to `request` and `floor`. */
  setup?: (world: BenchWorld) => Promise<Record<string, unknown>>;
  request: (world: BenchWorld, made: Record<string, unknown>) => BenchRequest;
  /** What a bare server would have to do for the same answer. */
  floor: (world: BenchWorld, made: Record<string, unknown>) => Floor;
}

export interface BenchRequest {
  method?: string;
  path: string;
  /** More of the same kind, asked in turn: writers of one record would only wait for each other. */
  paths?: string[];
  headers?: Record<string, string>;
  /** `{{vary}}` in it becomes another text each time. */
  body?: unknown;
}

/** A constant answer, or statements of which the last one's rows are the answer. */
export type BareFloor = { json: unknown } | { statements: FloorStatement[] };

/** Or another request to the service itself, where the question is what one way costs more than another. */
export type Floor = BareFloor | { request: BenchRequest };

export interface FloorStatement {
  text: string;
  values: unknown[];
}

/** A workspace with one admin and a token, made over the operator surface. */
export interface BenchWorld {
  url: string;
  /** For worlds that are too large to make over HTTP; undefined when the database is not known. */
  databaseUrl: string | undefined;
  brandId: number;
  userId: number;
  email: string;
  password: string;
  token: string;
  tokenId: string;
  /** Headers of a request with the world's token. */
  bearer: Record<string, string>;
  operator: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
}
