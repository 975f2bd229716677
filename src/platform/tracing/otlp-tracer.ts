import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Log } from '../../kernel/log.js';
import type { Attributes, Span, SpanKind, SpanOptions, Tracer } from '../../kernel/tracing.js';

interface OtlpOptions {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT: traces go to `/v1/traces` below this address. */
  endpoint: string;
  headers: Record<string, string>;
  version: string;
  log: Log;
  sendEveryMs?: number;
  timeoutMs?: number;
}

export interface OtlpTracer extends Tracer {
  /** Spans sent so far, and spans dropped. */
  readonly counts: { sent: number; dropped: number };
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const SEND_EVERY_MS = 2000;
const TIMEOUT_MS = 5000;
/** Further spans are dropped while the collector is slow or down. */
const MOST_WAITING = 4096;
const BATCH = 512;
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const ERROR_STATUS = 2;
const SAMPLED = 1;

interface RunningSpan extends Span {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  shared: Attributes;
}

/** Sends traces as OTLP/HTTP JSON. The official packages would add many megabytes (ADR 0028). */
export function createOtlpTracer(options: OtlpOptions): OtlpTracer {
  const { log, sendEveryMs = SEND_EVERY_MS, timeoutMs = TIMEOUT_MS } = options;
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const headers = { ...options.headers, 'content-type': 'application/json' };
  const resource = {
    attributes: attributeList({ 'service.name': 'guildhall', 'service.version': options.version }),
  };
  const spans = new AsyncLocalStorage<RunningSpan>();
  const counts = { sent: 0, dropped: 0 };
  let waiting: object[] = [];
  let sending: Promise<void> | undefined;
  let isAway = false;

  const keep = (span: object) => {
    if (waiting.length >= MOST_WAITING) counts.dropped += 1;
    else waiting.push(span);
  };

  const send = async (batch: object[]) => {
    const body = JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'guildhall' }, spans: batch }] }],
    });
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`The collector answered ${answer.status}`);
      counts.sent += batch.length;
      if (isAway) log.info('Traces are taken again');
      isAway = false;
    } catch (error) {
      counts.dropped += batch.length;
      if (!isAway) log.warn({ err: error }, 'Traces cannot be sent; they are dropped until they can');
      isAway = true;
    }
  };

  /** Sends one batch at a time. */
  const flush = async (): Promise<void> => {
    sending ??= (async () => {
      while (waiting.length > 0) {
        const batch = waiting.slice(0, BATCH);
        waiting = waiting.slice(BATCH);
        await send(batch);
        if (isAway) break;
      }
    })().finally(() => {
      sending = undefined;
    });
    await sending;
  };

  const timer = setInterval(() => void flush(), sendEveryMs);
  timer.unref();

  const begin = (name: string, { kind, attributes, traceparent, shared }: SpanOptions): RunningSpan => {
    const parent = readTraceparent(traceparent) ?? spans.getStore();
    const spanId = randomBytes(8).toString('hex');
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const isSampled = parent?.isSampled ?? true;
    const inherited = { ...(parent as Partial<RunningSpan> | undefined)?.shared, ...shared };
    const startedAt = performance.timeOrigin + performance.now();
    let ended = false;
    const span: RunningSpan = {
      traceId,
      spanId,
      isSampled,
      shared: inherited,
      traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
      run: (work) => spans.run(span, work),
      end({ attributes: more = {}, failed = false } = {}) {
        if (ended || !isSampled) return;
        ended = true;
        keep({
          traceId,
          spanId,
          ...(parent && { parentSpanId: parent.spanId }),
          name,
          kind: KINDS[kind],
          startTimeUnixNano: nanoseconds(startedAt),
          endTimeUnixNano: nanoseconds(performance.timeOrigin + performance.now()),
          attributes: attributeList({ ...attributes, ...inherited, ...more }),
          ...(failed && { status: { code: ERROR_STATUS } }),
        });
      },
    };
    return span;
  };

  return {
    begin,
    current: () => spans.getStore(),
    counts,
    flush,
    async stop() {
      clearInterval(timer);
      await sending;
      await flush();
    },
  };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Reads the trace context of a caller (W3C) and ignores anything else. */
function readTraceparent(text: string | undefined) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || !spanId || !flags || text?.startsWith('ff')) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

const attributeList = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds * 1000)) * 1000n);
