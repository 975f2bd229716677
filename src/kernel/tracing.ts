/** How long what took, and what was part of what, for whoever gathers traces. Nothing is traced until somebody sets a tracer. */

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number>;

export interface SpanOptions {
  kind: SpanKind;
  attributes: Attributes;
  /** What the caller said it is part of; left out, it is part of what is under way here. */
  traceparent?: string;
  /** Told with this span and with everything that is part of it. */
  shared?: Attributes;
}

export interface Span {
  /** For whoever is asked next. */
  readonly traceparent: string;
  /** What the work begins is part of this. */
  run<T>(work: () => T): T;
  end(outcome?: { attributes?: Attributes; failed?: boolean }): void;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span;
  current(): Span | undefined;
}

let tracer: Tracer | undefined;

/** For the whole process. */
export const setTracer = (chosen: Tracer | undefined): void => {
  tracer = chosen;
};

/** Whether it is worth describing what is done. */
export const isTraced = (): boolean => tracer !== undefined;

export const beginSpan = (name: string, options: SpanOptions): Span | undefined =>
  tracer?.begin(name, options);

async function finish<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
}

/** A part of what is under way; what belongs to nothing is not told. */
export function tracePart<T>(
  describe: () => { name: string; kind: SpanKind; attributes: Attributes },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer?.current()) return work();
  const { name, ...options } = describe();
  return finish(tracer.begin(name, options), work);
}

/** Something that begins by itself. */
export const traceWork = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  tracer ? finish(tracer.begin(name, { kind: 'internal', attributes: {} }), work) : work();

/** A call to another machine: the headers tell it what it is part of. Of the address only the host is told. */
export function traceCall<T>(
  method: string,
  address: string,
  work: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  if (!tracer) return work({});
  const { hostname, port, protocol } = new URL(address);
  const span = tracer.begin(method, {
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    },
  });
  return finish(span, () => work({ traceparent: span.traceparent }));
}
