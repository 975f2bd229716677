import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { clipReason } from '../coders/coder.js';
import { readIfThere, remove, writeWhole } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import { keepAcknowledged, listParts, partName, readAcknowledged } from '../spool/log-writer.js';
import { type Answer, type BuildClient, errorOf } from './build-client.js';
import type { FinishReport, Usage } from './build-protocol.js';

/**
 * `lost`: the claim is no longer valid. `closed`: the service accepts no more of this. `stopped`: the sidecar
 * is stopping.
 */
export type Shipped = 'ok' | 'lost' | 'closed' | 'stopped';

/** Acknowledged parts to keep in case the service asks for them again. */
const KEPT_PARTS = 64;
const MISSING_PART = '[A part of the log was lost on the desk]\n';

interface ShipperOptions {
  line: ReturnType<BuildClient['about']>;
  folder: BuildFolder;
  signal: AbortSignal;
}

interface LogLine {
  log: string;
  sendLog(seq: number, text: string): Promise<Answer>;
  signal: AbortSignal;
}

export function createLogShipper({ log, sendLog, signal }: LogLine) {
  const readPart = (seq: number): string | undefined => readIfThere(join(log, partName(seq)));

  /** Replaces a missing part with a note, because the service accepts no parts after a gap. */
  function nextPart(): { seq: number; text: string } | undefined {
    const seq = readAcknowledged(log) + 1;
    const text = readPart(seq);
    if (text !== undefined) return { seq, text };
    return listParts(log).some((later) => later > seq) ? { seq, text: MISSING_PART } : undefined;
  }

  function acknowledge(seq: number): void {
    keepAcknowledged(log, seq);
    remove(join(log, partName(seq - KEPT_PARTS)));
  }

  return async (): Promise<Shipped> => {
    for (let part = nextPart(); part; part = nextPart()) {
      const { seq, text } = part;
      const answer = await deliver(() => sendLog(seq, text), signal);
      if (!answer) return 'stopped';
      if (isAccepted(answer)) {
        acknowledge(seq);
        continue;
      }
      const { error, expected } = errorOf(answer);
      if (error === 'gap' && expected !== undefined && expected >= 1 && expected !== seq)
        keepAcknowledged(log, expected - 1);
      else if (answer.status === 409 || answer.status === 404) return judgeRefusal(answer);
      else if (text === MISSING_PART) acknowledge(seq);
      else writeWhole(join(log, partName(seq)), MISSING_PART, 0o600);
    }
    return 'ok';
  };
}

/** Ships the spool of a build, repeating each item until it is acknowledged. */
export function createShipper({ line, folder, signal }: ShipperOptions) {
  const shipLog = createLogShipper({ log: folder.log, sendLog: line.sendLog, signal });

  async function shipCommits(): Promise<Shipped> {
    if (folder.commitsFate()) return 'ok';
    const bundle = await readFile(folder.commitsBundle).catch(() => undefined);
    if (!bundle) {
      folder.keepCommitsFate('none');
      return 'ok';
    }
    const answer = await deliver(() => line.sendCommits(bundle), signal);
    if (!answer) return 'stopped';
    if (isAccepted(answer)) {
      folder.keepCommitsFate('received');
      return 'ok';
    }
    if (judgeRefusal(answer) === 'lost') return 'lost';
    if (answer.status !== 409) admitRefusal(answer);
    folder.keepCommitsFate('refused');
    return 'ok';
  }

  /** Runs before the finish is first sent, so that every retry sends the same report. */
  function admitRefusal(answer: Answer): void {
    const report = folder.finish();
    if (report?.outcome !== 'succeeded') return;
    const reason = clipReason(
      `The service did not take the commits: ${errorOf(answer).message || answer.status}`,
    );
    folder.keepFinish({ ...report, outcome: 'failed', reason });
  }

  async function shipFinish(report: FinishReport): Promise<Shipped> {
    const { conversation: _said, ...shorter } = report;
    const { usage, ...withoutUsage } = report;
    const { outcome, reason } = report;
    // An older service rejects usage without token counts.
    const isCostAlone = usage?.tokens_in === null;
    // If the service rejects the full report, send a shorter one: an outcome is better than none.
    for (const body of [
      report,
      ...(isCostAlone ? [withoutUsage] : []),
      shorter,
      { outcome, ...(reason && { reason }) },
    ]) {
      const answer = await deliver(() => line.sendFinish(body), signal);
      if (!answer) return 'stopped';
      if (isAccepted(answer)) return 'ok';
      if (answer.status === 409 || answer.status === 404) return judgeRefusal(answer);
    }
    return 'closed';
  }

  return { shipLog, shipCommits, shipFinish };
}

export const isAccepted = ({ status }: Answer): boolean => status >= 200 && status < 300;

export const judgeRefusal = (answer: Answer): Shipped =>
  answer.status === 404 || errorOf(answer).error === 'claim_lost' ? 'lost' : 'closed';

interface MeterOptions {
  line: Pick<ReturnType<BuildClient['about']>, 'sendUsage'>;
  folder: Pick<BuildFolder, 'usage'>;
}

const LEAST_MS = 1_000;
/** The numbers are totals, so the next report makes up for a missed one. */
const AGAIN_MS = 5_000;
const MOST_NOT_FOUND = 5;

/**
 * Reports the usage of a build whenever it grows. The final report contains it too, so nothing waits for
 * this.
 */
export function createMeter({ line, folder }: MeterOptions) {
  let sent = '';
  let next = 0;
  let notFound = 0;
  let busy = false;

  async function send(usage: Usage, text: string): Promise<void> {
    busy = true;
    const { status } = await line.sendUsage(usage);
    busy = false;
    // An older service does not have this endpoint, and no service accepts usage after the end of a build.
    if (status === 404) notFound += 1;
    const taken = status >= 200 && status < 500 && status !== 404 && status !== 429;
    if (taken) sent = text;
    next = performance.now() + (taken ? LEAST_MS : AGAIN_MS);
  }

  return {
    look(): void {
      if (busy || notFound >= MOST_NOT_FOUND || performance.now() < next) return;
      const usage = folder.usage();
      const text = JSON.stringify(usage);
      if (usage && text !== sent) void send(usage, text);
    },
  };
}

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
const LONGEST_ASKED_MS = 120_000;

/** Exponential backoff with jitter, so that desks do not all reconnect at the same time. */
export function createBackoff() {
  let next = FIRST_MS;
  return {
    reset: (): void => {
      next = FIRST_MS;
    },
    pause: (signal: AbortSignal, retryAfterSeconds = 0): Promise<void> => {
      const own = next * (0.5 + Math.random() / 2);
      next = Math.min(next * 2, LONGEST_MS);
      return pause(Math.max(own, Math.min(retryAfterSeconds * 1000, LONGEST_ASKED_MS)), signal);
    },
  };
}

/** Resolves early when the signal is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});

/** Whether a retry cannot change the result. A proxy in front of the service may answer 413 as well. */
const isFinal = ({ status, isOurs }: Answer): boolean =>
  status === 413 || (isOurs && ((status >= 200 && status < 300) || [400, 409, 410, 422].includes(status)));

/**
 * Repeats a call until the service gives a final answer; undefined when this process is stopping. Retries a
 * 404 a few times, because a service that is being updated may not have the route yet.
 */
export async function deliver(send: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  const backoff = createBackoff();
  let unknown = 0;
  while (!signal.aborted) {
    const answer = await send();
    if (signal.aborted) return undefined;
    if (isFinal(answer)) return answer;
    if (answer.status === 404 && answer.isOurs && ++unknown >= MOST_NOT_FOUND) return answer;
    await backoff.pause(signal, answer.retryAfter);
  }
  return undefined;
}
