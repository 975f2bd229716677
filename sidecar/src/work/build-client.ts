import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ChecksReport } from '../checks/check-protocol.js';
import type { DeskConfig } from '../desk-files.js';
import { remove } from '../desk-files.js';
import { PROOF_HEADER } from '../protocol.js';
import { CLAIM_HEADER, type FinishReport, parseObject, type Usage } from './build-protocol.js';

/** The response; status 0 without one. */
export interface Answer {
  status: number;
  /** False for a response from a proxy, which neither acknowledges nor refuses anything. */
  isOurs: boolean;
  body: string;
  proof: string | null;
  retryAfter: number;
}

const NOTHING: Answer = { status: 0, isOurs: false, body: '', proof: null, retryAfter: 0 };
const CALL_MS = 30_000;
const UPLOAD_MS = 10 * 60_000;
const DOWNLOAD_MS = 30 * 60_000;
const LARGEST_ANSWER = 16 * 1024 * 1024;

interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeout: number;
  signal?: AbortSignal;
}

export type BuildClient = ReturnType<typeof createBuildClient>;

export function createBuildClient({ url, pat }: Pick<DeskConfig, 'url' | 'pat'>) {
  const base = `${url.replace(/\/+$/, '')}/api/v1/desk`;

  function send({ method, path, headers, body, timeout, signal }: Call): Promise<Response> {
    const limit = AbortSignal.timeout(timeout);
    return fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${pat}`, ...headers },
      body: body as RequestInit['body'],
      redirect: 'error',
      signal: signal ? joinSignals(signal, limit) : limit,
    });
  }

  async function call(request: Call): Promise<Answer> {
    try {
      return await readAnswer(await send(request));
    } catch {
      return NOTHING;
    }
  }

  /** The file is complete when the status is 200 and does not exist otherwise. */
  async function fetchBundle(
    path: string,
    headers: Record<string, string>,
    target: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    const unfinished = `${target}.new`;
    try {
      const response = await send({ method: 'GET', path, headers, timeout: DOWNLOAD_MS, signal });
      if (response.status !== 200 || !response.body) return await readAnswer(response);
      if (!isBundle(response)) return NOTHING;
      await pipeline(
        Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
        createWriteStream(unfinished, { mode: 0o600 }),
      );
      await rename(unfinished, target);
      return { ...NOTHING, status: 200, isOurs: true };
    } catch {
      remove(unfinished);
      return NOTHING;
    }
  }

  const json = { 'content-type': 'application/json' };

  return {
    askForWork: (body: string, waitSeconds: number, signal: AbortSignal) =>
      call({
        method: 'POST',
        path: '/work',
        headers: json,
        body,
        timeout: waitSeconds * 1000 + 15_000,
        signal,
      }),

    about(buildId: string, claim: string, signal: AbortSignal) {
      const path = `/builds/${buildId}`;
      const claimed = { [CLAIM_HEADER]: claim };
      return {
        start: () =>
          call({
            method: 'POST',
            path: `${path}/start`,
            headers: { ...json, ...claimed },
            body: '{}',
            timeout: CALL_MS,
            signal,
          }),
        sendLog: (seq: number, text: string) =>
          call({
            method: 'PUT',
            path: `${path}/log?seq=${seq}`,
            headers: { 'content-type': 'text/plain; charset=utf-8', ...claimed },
            body: text,
            timeout: CALL_MS,
            signal,
          }),
        sendUsage: (usage: Usage) =>
          call({
            method: 'POST',
            path: `${path}/usage`,
            headers: { ...json, ...claimed },
            body: JSON.stringify({ ...usage, cost_usd: usage.cost_usd ?? null }),
            timeout: CALL_MS,
            signal,
          }),
        sendCommits: (bundle: Uint8Array) =>
          call({
            method: 'PUT',
            path: `${path}/commits`,
            headers: { 'content-type': 'application/x-git-bundle', ...claimed },
            body: bundle,
            timeout: UPLOAD_MS,
            signal,
          }),
        sendFinish: (report: FinishReport) =>
          call({
            method: 'POST',
            path: `${path}/finish`,
            headers: { ...json, ...claimed },
            body: JSON.stringify(report),
            timeout: CALL_MS,
            signal,
          }),
        fetchBase: (target: string) => fetchBundle(`${path}/base`, claimed, target, signal),
      };
    },

    aboutChecks(buildId: string, claim: string, signal: AbortSignal) {
      const path = `/builds/${buildId}/checks`;
      const claimed = { [CLAIM_HEADER]: claim };
      const post = (what: string, body: object) =>
        call({
          method: 'POST',
          path: `${path}/${what}`,
          headers: { ...json, ...claimed },
          body: JSON.stringify(body),
          timeout: CALL_MS,
          signal,
        });
      return {
        start: () => post('start', {}),
        report: (name: string, state: object) => post(encodeURIComponent(name), state),
        finish: (report: ChecksReport) => post('finish', report),
        sendLog: (name: string, seq: number, text: string) =>
          call({
            method: 'PUT',
            path: `${path}/${encodeURIComponent(name)}/log?seq=${seq}`,
            headers: { 'content-type': 'text/plain; charset=utf-8', ...claimed },
            body: text,
            timeout: CALL_MS,
            signal,
          }),
        fetchHead: (target: string) => fetchBundle(`/builds/${buildId}/base`, claimed, target, signal),
      };
    },
  };
}

/** The oldest supported Node has no `AbortSignal.any`. */
function joinSignals(first: AbortSignal, second: AbortSignal): AbortSignal {
  const both = new AbortController();
  for (const signal of [first, second]) {
    if (signal.aborted) both.abort();
    signal.addEventListener('abort', () => both.abort(), { once: true, signal: both.signal });
  }
  return both.signal;
}

const isBundle = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/x-git-bundle');

async function readAnswer(response: Response): Promise<Answer> {
  const body = await readText(response);
  return {
    status: response.status,
    isOurs: parseObject(body) !== undefined,
    body,
    proof: response.headers.get(PROOF_HEADER),
    retryAfter: Number(response.headers.get('retry-after')) || 0,
  };
}

async function readText(response: Response): Promise<string> {
  if (Number(response.headers.get('content-length') ?? 0) > LARGEST_ANSWER)
    throw new Error('The answer is too large');
  const text = await response.text();
  if (text.length > LARGEST_ANSWER) throw new Error('The answer is too large');
  return text;
}

export function errorOf({ body }: Answer): { error?: string; expected?: number; message: string } {
  const detail = parseObject(body)?.['detail'];
  if (typeof detail === 'string') return { message: detail };
  const { error, expected, message } = (detail ?? {}) as Record<string, unknown>;
  return {
    ...(typeof error === 'string' && { error }),
    ...(typeof expected === 'number' && Number.isInteger(expected) && { expected }),
    message: typeof message === 'string' ? message : '',
  };
}
