import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { within } from '../../kernel/deadline.js';
import type { Log } from '../../kernel/log.js';

/** More handles of the socket that a server listens on. */
export interface Doors {
  /** How many ways in there are, the server's own among them. */
  count(): number;
  /** `backlog`: how many connections may wait to be taken, as it was said to the server itself. */
  open(backlog: number): Promise<void>;
  /** No more connections come by them; done when the last that came has ended. */
  close(): Promise<void>;
}

/** In a turn of its event loop Node takes one connection from each handle: while turns are long, a single one lets few in. */
const DOORS = 16;
const PATIENCE_MS = 20_000;

/** Only the way from one process to another makes a second handle of the same socket. */
const ECHO = "process.on('message',(m,h)=>process.send(m,h));process.on('disconnect',()=>process.exit())";

/** Without them the server serves all the same, so that a fault of theirs is none of the service's. */
export function createDoors(listener: Server, log: Log): Doors {
  const doors: Server[] = [];
  let isClosed = false;
  let connections = 0;
  listener.on('connection', (socket: Socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
    });
  });
  // Node counts for each handle apart.
  const isFull = () => connections >= (listener.maxConnections || Number.POSITIVE_INFINITY);

  const openDoor = async (handle: object, backlog: number) => {
    const door = createServer((socket) => {
      if (isFull()) return void socket.destroy();
      // As the server does itself: the second part of an answer would wait until the first one is confirmed, 40 ms.
      socket.setNoDelay(true);
      listener.emit('connection', socket);
    });
    await once(door.listen(handle, backlog), 'listening');
    doors.push(door);
  };

  return {
    count: () => 1 + doors.length,

    async open(backlog) {
      const messenger = spawn(process.execPath, ['-e', ECHO], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      try {
        for (let n = 0; n < DOORS && !isClosed; n += 1)
          await openDoor(await within(PATIENCE_MS, copyHandle(messenger, listener)), backlog);
      } catch (error) {
        log.warn({ err: error }, 'Connections are taken one at a time: no second handle could be made');
      } finally {
        messenger.kill();
      }
      if (isClosed) for (const door of doors) door.close();
    },

    async close() {
      isClosed = true;
      await Promise.all(doors.map((door) => new Promise((resolve) => door.close(resolve))));
    },
  };
}

async function copyHandle(messenger: ChildProcess, listener: Server): Promise<object> {
  const { _handle: handle } = listener as Server & { _handle?: never };
  if (!handle) throw new Error('The server does not listen');
  const heard = new AbortController();
  const { signal } = heard;
  const answer = Promise.race([
    once(messenger, 'message', { signal }),
    once(messenger, 'exit', { signal }).then(() => Promise.reject(new Error('The messenger ended'))),
  ]);
  messenger.send('copy', handle);
  try {
    const [, copy] = await answer;
    return copy as object;
  } finally {
    heard.abort();
  }
}
