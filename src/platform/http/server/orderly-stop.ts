import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LONGEST_DRAIN_MS = 8_000;

/** A stream that goes on until somebody ends it, and how it is ended. */
export type EndStream = () => void;

/** Requests that are under way when the server stops are answered; nothing else may hold the stop up. */
export function stopOrderly(server: FastifyInstance, openStreams: Set<EndStream>): void {
  const { server: listener } = server;
  const sockets = new Set<Socket>();
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  let stopping = false;
  server.addHook('preClose', async () => {
    stopping = true;
    for (const end of openStreams) end();
    // Browsers open connections ahead of need; Node counts those as busy.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    setTimeout(() => listener.closeAllConnections(), LONGEST_DRAIN_MS).unref();
  });
  // A connection that was busy when the stop began would stay open after its answer.
  server.addHook('onResponse', (_request, _reply, done) => {
    if (stopping) setImmediate(() => listener.closeIdleConnections());
    done();
  });
}
