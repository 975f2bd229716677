/** A measured endpoint. A feature adds rows in bench/rows/<feature>.ts as `export const rows: BenchRow[]`. */
export interface BenchRow {
  name: string;
  /**
   * Decides the goal as a share of the floor: 0.8 for reads, 0.6 for writes. A tool is another way to the
   * same read and has no goal.
   */
  kind: 'read' | 'write' | 'tool';
  /** Creates what the request needs over HTTP. The result is passed to `request` and `floor`. */
  setup?: (world: BenchWorld) => Promise<Record<string, unknown>>;
  request: (world: BenchWorld, made: Record<string, unknown>) => BenchRequest;
  /** The minimum that a bare server needs to do for the same answer. */
  floor: (world: BenchWorld, made: Record<string, unknown>) => Floor;
}

export interface BenchRequest {
  method?: string;
  path: string;
  /** Further paths of the same kind, rotated because writers of one record would only wait for each other. */
  paths?: string[];
  headers?: Record<string, string>;
  /** `{{vary}}` in the body is replaced with a different text each time. */
  body?: unknown;
}

/** A constant answer, or statements of which the last one's rows are the answer. */
export type BareFloor = { json: unknown } | { statements: FloorStatement[] };

/** Alternatively another request to the service, to compare two ways of doing the same. */
export type Floor = BareFloor | { request: BenchRequest };

export interface FloorStatement {
  text: string;
  values: unknown[];
}

/** A workspace with one admin and a token, created with the operator's key. */
export interface BenchWorld {
  url: string;
  /** For worlds that are too large to create over HTTP. Undefined if the database is not known. */
  databaseUrl: string | undefined;
  brandId: number;
  userId: number;
  email: string;
  password: string;
  token: string;
  tokenId: string;
  bearer: Record<string, string>;
  operator: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
}
