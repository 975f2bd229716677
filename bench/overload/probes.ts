import { readFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** The outcome of requests at a steady rate. */
export interface Probe {
  times: number[];
  refused: number;
  seconds: number;
}

/** Sends requests on its own connection, as monitoring and desks do, which are other machines. */
export function onOwnLine(url: string, options: RequestOptions = {}): () => Promise<Response> {
  const agent = new Agent({ keepAlive: true });
  return () =>
    new Promise((resolve, reject) => {
      const asked = request(url, { ...options, agent }, (answer) => {
        answer
          .on('error', reject)
          .on('end', () => resolve(new Response(null, { status: answer.statusCode! })));
        answer.resume();
      });
      asked.on('error', reject).end();
    });
}

/** Sends requests at a steady rate until aborted, regardless of the answers. */
export async function steadily(
  rate: number,
  ask: () => Promise<Response>,
  until: AbortSignal,
  isServed: (answer: Response) => boolean = ({ ok }) => ok,
): Promise<Probe> {
  const probe: Probe = { times: [], refused: 0, seconds: 0 };
  const running = new Set<Promise<void>>();
  const began = performance.now();
  for (let n = 0; !until.aborted; n += 1) {
    const pause = (n / rate) * 1000 - (performance.now() - began);
    if (pause > 1) await wait(pause);
    const asked = performance.now();
    const call = ask()
      .then(async (answer) => {
        await answer.arrayBuffer();
        if (isServed(answer)) probe.times.push(performance.now() - asked);
        else probe.refused += 1;
      })
      .catch(() => {
        probe.refused += 1;
      });
    running.add(call);
    void call.finally(() => running.delete(call));
  }
  probe.seconds = (performance.now() - began) / 1000;
  await Promise.all(running);
  return probe;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The processor time of a process so far in seconds, or NaN if the system does not report it. */
export function readProcessorTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** Total processor time so far, and the part that the hypervisor gave to other machines, in clock ticks. */
export function readStolenTime(): { stolen: number; total: number } {
  try {
    const [, ...times] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/);
    return {
      stolen: Number(times[7]),
      total: times.slice(0, 8).reduce((sum, time) => sum + Number(time), 0),
    };
  } catch {
    return { stolen: 0, total: 0 };
  }
}
