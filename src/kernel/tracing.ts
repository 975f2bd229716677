/** Tracing interface. Nothing is recorded until a tracer is set. */

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number>;

export interface SpanOptions {
  kind: SpanKind;
  attributes: Attributes;
  /** The parent span from the request. Defaults to the current span. */
  traceparent?: string;
  /** Attributes of this span and all spans inside it. */
  shared?: Attributes;
}

export interface Span {
  /** Header value for calls to other services. */
  readonly traceparent: string;
  run<T>(work: () => T): T;
  end(outcome?: { attributes?: Attributes; failed?: boolean }): void;
}

export interface Tracer {
  begin(name: string, options: SpanOptions): Span;
  current(): Span | undefined;
}

let tracer: Tracer | undefined;

export const setTracer = (chosen: Tracer | undefined): void => {
  tracer = chosen;
};

/** Whether a tracer is set. Check it before building attributes. */
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

/** Records a child span, or nothing when there is no current span. */
export function tracePart<T>(
  describe: () => { name: string; kind: SpanKind; attributes: Attributes },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer?.current()) return work();
  const { name, ...options } = describe();
  return finish(tracer.begin(name, options), work);
}

export const traceWork = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  tracer ? finish(tracer.begin(name, { kind: 'internal', attributes: {} }), work) : work();

/** Traces an outgoing call and passes on its trace context. Records only the host of the address. */
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
