import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SimulatedForge, SimulatedForgeOptions } from '../../src/demo/host/simulated-forge.js';

type Deed = Exclude<keyof SimulatedForge, 'origin' | 'apiUrl' | 'faults' | 'close'>;

/** Runs the simulated host in a second process and controls it over HTTP. */
export type RemoteForge = {
  [name in Deed]: (
    ...args: Parameters<SimulatedForge[name]>
  ) => Promise<Awaited<ReturnType<SimulatedForge[name]>>>;
} & {
  origin: string;
  apiUrl: string;
  pid: number;
  close(): Promise<void>;
};

export async function startForgeProcess(
  options: Omit<SimulatedForgeOptions, 'clock' | 'control'>,
): Promise<RemoteForge> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('simulated-forge.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(options));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { origin, apiUrl } = JSON.parse(line) as { origin: string; apiUrl: string };

  async function act(name: string, args: unknown[]): Promise<unknown> {
    const response = await fetch(`${origin}/_control`, {
      method: 'POST',
      headers: { authorization: `Bearer ${options.token}` },
      body: JSON.stringify({ act: name, args }),
    });
    const { answer, message } = (await response.json()) as { answer?: unknown; message?: string };
    if (!response.ok) throw new Error(message);
    return answer;
  }

  const own = {
    origin,
    apiUrl,
    pid: child.pid!,
    async close() {
      const gone = once(child, 'close');
      child.kill();
      await gone;
    },
  };
  return new Proxy(own, {
    get(target, name) {
      if (name in target) return target[name as keyof typeof target];
      // Without this `await` would treat the proxy as a promise.
      return name === 'then' ? undefined : (...args: unknown[]) => act(String(name), args);
    },
  }) as RemoteForge;
}
