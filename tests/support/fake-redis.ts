import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A Redis that supports just enough to get a client ready, and can stop answering without closing. */
export async function startFakeRedis({ silent }: { silent: boolean }) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      if (!silent) for (const command of commandsIn(bytes.toString())) socket.write(replyTo(command));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fallSilent() {
      silent = true;
    },
    speak() {
      silent = false;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the command names in a client's bytes: `*<n>`, then a length and a text for each part. */
function commandsIn(text: string): string[] {
  const lines = text.split('\r\n');
  return lines.flatMap((line, index) => (/^\*\d+$/.test(line) ? [lines[index + 2]!.toLowerCase()] : []));
}

function replyTo(command: string): string {
  if (command === 'ping') return '+PONG\r\n';
  if (command !== 'info') return '+OK\r\n';
  const info = 'redis_version:7.0.0\r\nloading:0\r\n';
  return `$${info.length}\r\n${info}\r\n`;
}
