import { connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy to the database that can silence one kind of connection, and all later ones of that kind,
 * without closing them. It recognizes the kind by the application name in the first bytes.
 */
export async function halfOpenLine(port: number, kind: string) {
  const sockets = new Set<Socket>();
  let mute = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let isKind = false;
    near.once('data', (words) => {
      isKind = words.includes(kind);
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void ((mute && isKind) || to.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        if (!(mute && isKind)) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    fallSilent: () => {
      mute = true;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
