import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../src/kernel/log.js';
import { setTracer, traceCall } from '../src/kernel/tracing.js';
import { createOtlpTracer, type OtlpTracer } from '../src/platform/tracing/otlp-tracer.js';
import { startTestApp, type World } from './support/app.js';

interface ToldSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status?: { code: number };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
let world: World;
let collector: Server;
let tracer: OtlpTracer;
let home: Awaited<ReturnType<World['workspace']>>;
let spans: ToldSpan[] = [];
const paths: string[] = [];
let status = 200;

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const listen = async (server: Server): Promise<Server> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace();
  await world.server.listen({ port: 0, host: '127.0.0.1' });
  collector = await listen(
    createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      paths.push(`${request.url} ${request.headers['x-key']}`);
      if (status === 200)
        spans.push(
          ...(JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: ToldSpan[] }[] }[] })
            .resourceSpans[0]!.scopeSpans[0]!.spans,
        );
      response.writeHead(status).end('{}');
    }),
  );
  tracer = createOtlpTracer({
    endpoint: `${addressOf(collector)}/`,
    headers: { 'x-key': 'k' },
    version: '1',
    log: silentLog,
    sendEveryMs: 3_600_000,
  });
  setTracer(tracer);
});

afterAll(async () => {
  setTracer(undefined);
  await tracer.stop();
  collector.close();
  await world.stop();
});

const attributesOf = ({ attributes }: ToldSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

async function ask(path: string, init: RequestInit = {}): Promise<ToldSpan[]> {
  spans = [];
  const url = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}${path}`;
  const answer = await fetch(url, { ...init, headers: { ...home.bearer, ...(init.headers as object) } });
  await answer.arrayBuffer();
  await expect
    .poll(async () => {
      await tracer.flush();
      return spans.some(({ kind }) => kind === 2);
    })
    .toBe(true);
  return spans;
}

describe('traces', () => {
  it("cover a request and its statements under the request id, as children of the caller's span", async () => {
    const told = await ask('/api/v1/board/boards', {
      method: 'POST',
      body: JSON.stringify({ name: 'A secret name' }),
      headers: {
        'content-type': 'application/json',
        'x-request-id': 'of-the-caller',
        traceparent: `00-${TRACE}-${CALLER}-01`,
      },
    });
    expect(paths.at(-1)).toBe('/v1/traces k');
    const request = told.find(({ kind }) => kind === 2)!;
    expect(request).toMatchObject({
      traceId: TRACE,
      parentSpanId: CALLER,
      name: 'POST /api/v1/board/boards',
    });
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/board/boards',
      'guildhall.request_id': 'of-the-caller',
      'http.response.status_code': 201,
    });
    const statements = told.filter(({ name }) => name === 'INSERT');
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) {
      expect(statement).toMatchObject({ traceId: TRACE, parentSpanId: request.spanId, kind: 3 });
      expect(BigInt(statement.endTimeUnixNano)).toBeGreaterThan(BigInt(statement.startTimeUnixNano));
      expect(attributesOf(statement)).toMatchObject({
        'db.system.name': 'postgresql',
        'guildhall.request_id': 'of-the-caller',
      });
    }
    expect(JSON.stringify(told)).not.toMatch(/A secret name|guild_pat_/);
  });

  it("start a new trace if the caller's traceparent is missing or invalid, and send nothing if the caller did not sample", async () => {
    for (const traceparent of ['', 'x', `00-${'0'.repeat(32)}-${CALLER}-01`, `ff-${TRACE}-${CALLER}-01`]) {
      const told = await ask('/api/v1/board/boards', { headers: { traceparent } });
      expect(told.find(({ kind }) => kind === 2)).not.toHaveProperty('parentSpanId');
    }
    spans = [];
    const unsampled = tracer.begin('x', {
      kind: 'server',
      attributes: {},
      traceparent: `00-${TRACE}-${CALLER}-00`,
    });
    unsampled.end();
    await tracer.flush();
    expect([spans, unsampled.traceparent.endsWith('-00')]).toEqual([[], true]);
  });

  it('continue in the requests that the service makes', async () => {
    let heard: string | undefined;
    spans = [];
    const other = await listen(
      createServer((request, response) => {
        heard = request.headers['traceparent'] as string;
        response.end();
      }),
    );
    await traceCall('GET', addressOf(other), (headers) => fetch(addressOf(other), { headers }));
    other.close();
    await tracer.flush();
    const call = spans.find(({ kind }) => kind === 3)!;
    expect(heard).toBe(`00-${call.traceId}-${call.spanId}-01`);
    expect(attributesOf(call)).toMatchObject({ 'server.address': '127.0.0.1', 'http.request.method': 'GET' });
  });

  it('are limited to 4,096 while the collector is unavailable, and the rest is dropped and counted', async () => {
    status = 503;
    const before = tracer.counts.dropped;
    for (let n = 0; n < 5000; n += 1) tracer.begin('many', { kind: 'internal', attributes: {} }).end();
    expect(tracer.counts.dropped - before).toBe(5000 - 4096);
    while (tracer.counts.dropped - before < 5000) await tracer.flush();
    status = 200;
    expect((await ask('/api/v1/board/boards')).length).toBeGreaterThan(0);
  });
});
