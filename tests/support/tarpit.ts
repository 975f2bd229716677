import { createServer, type Server, type Socket } from 'node:net';

/** A host on loopback that accepts every connection and never answers. */
export class Tarpit {
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  #waiting: { count: number; resolve(): void }[] = [];
  /** Number of connections ever made. */
  calls = 0;

  static async start(): Promise<Tarpit> {
    const tarpit = new Tarpit();
    const server = createServer((socket) => tarpit.#take(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    tarpit.#server = server;
    return tarpit;
  }

  get port(): number {
    return (this.#server!.address() as { port: number }).port;
  }

  /** Number of connections open now. */
  get held(): number {
    return this.#open.size;
  }

  /** Resolves when this many connections have been made. */
  async called(count: number): Promise<void> {
    if (this.calls >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Closes the open connections and stops listening. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #take(socket: Socket): void {
    this.calls++;
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
    socket.resume();
    for (const { count, resolve } of this.#waiting) if (this.calls >= count) resolve();
  }
}
