import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Starts a proxy to the service that can be cut in the middle of a request or an answer. */
export async function startCuttableLine(findAddress: () => string) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(findAddress()).port), '127.0.0.1');
    for (const end of [socket, onward]) {
      open.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        open.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async stop(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

export type CuttableLine = Awaited<ReturnType<typeof startCuttableLine>>;
