import { connect, createServer, type Socket } from 'node:net';

/**
 * A line to the database on which one kind of connection can fall silent, and stay so however often it is dialed anew: neither
 * end is told, and all other connections go on. A kind is known by the name in its first words.
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
