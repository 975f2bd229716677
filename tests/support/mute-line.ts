import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type pg from 'pg';

/**
 * A TCP proxy to the database that can drop all bytes in both directions without closing connections, like a
 * firewall that forgot them.
 */
export async function muteLine(target: pg.ClientConfig) {
  const sockets = new Set<Socket>();
  let mute = false;
  const reach = () =>
    target.host?.startsWith('/')
      ? connect(join(target.host, `.s.PGSQL.${target.port}`))
      : connect(Number(target.port), target.host);

  const server = createServer((near) => {
    const far = reach();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (mute || to.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        if (!mute) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };

  return {
    connection: { ...target, host: '127.0.0.1', port } satisfies pg.ClientConfig,
    fallSilent: () => {
      mute = true;
    },
    /** Delays all bytes until `letGo`, without losing any. */
    holdBack: () => {
      for (const socket of sockets) socket.pause();
    },
    letGo: () => {
      for (const socket of sockets) socket.resume();
    },
    /** Connections opened from now on work again. */
    mend: () => {
      mute = false;
      for (const socket of sockets) socket.destroy();
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
