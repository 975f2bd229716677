import { type AddressInfo, createServer, type Socket } from 'node:net';

/** As much of Redis as a connection needs to be called ready; it can fall silent while its connections stay open. */
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

/** The names of the commands in what a client sent: `*<n>`, then a length and a text for each part. */
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
