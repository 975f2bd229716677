import { connect, type Socket } from 'node:net';

/** Connections from a separate process that uses little CPU, because it shares the service's cores. */
export interface FloodOrder {
  host: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
  /**
   * Requests per second over all connections, regardless of the answers. 0: each connection sends again after
   * its answer; -1: no requests.
   */
  rate: number;
}

export interface FloodReport {
  seconds: number;
  /** In milliseconds. */
  served: number[];
  refused: number[];
  /** Other answers and broken connections. */
  failed: number;
  /** Requests that found no free connection when they were due. */
  unsent: number;
}

const HEAD_END = '\r\n\r\n';
const TICK_MS = 10;

interface Line {
  socket: Socket;
  askedAt: number;
  text: string;
}

async function flood(order: FloodOrder): Promise<FloodReport> {
  const { host, port, path, headers, connections, rate } = order;
  const report: FloodReport = { seconds: 0, served: [], refused: [], failed: 0, unsent: 0 };
  const heads = Object.entries({ host: `${host}:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const question = Buffer.from(`GET ${path} HTTP/1.1\r\n${heads.join('\r\n')}${HEAD_END}`);
  const free: Line[] = [];
  const sockets: Socket[] = [];
  let isOver = false;

  const ask = (line: Line) => {
    line.askedAt = performance.now();
    line.text = '';
    line.socket.write(question);
  };
  const next = (line: Line) => {
    if (rate === 0 && !isOver) ask(line);
    else free.push(line);
  };
  const hear = (line: Line, text: string) => {
    line.text += text;
    const head = line.text.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(line.text)?.[1] ?? 0);
    if (line.text.length < head + HEAD_END.length + length) return;
    const status = line.text.slice(9, 12);
    if (status === '200') report.served.push(performance.now() - line.askedAt);
    else if (status === '503' || status === '429') report.refused.push(performance.now() - line.askedAt);
    else report.failed += 1;
    next(line);
  };
  for (let n = 0; n < connections; n += 1) {
    const socket = connect({ host, port });
    const line: Line = { socket, askedAt: 0, text: '' };
    sockets.push(socket.setEncoding('latin1').setNoDelay(true));
    socket.on('connect', () => next(line));
    socket.on('data', (text: string) => hear(line, text));
    socket.on('error', () => {
      if (!isOver) report.failed += 1;
    });
  }

  const began = performance.now();
  let due = 0;
  const send = () => {
    const wanted = ((performance.now() - began) / 1000) * rate;
    for (; due < wanted; due += 1) {
      const line = free.shift();
      if (line) ask(line);
      else report.unsent += 1;
    }
  };
  const timer = rate > 0 ? setInterval(send, TICK_MS) : undefined;
  await new Promise((resolve) => setTimeout(resolve, order.seconds * 1000));
  isOver = true;
  clearInterval(timer);
  report.seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return report;
}

process.on('message', async (order: FloodOrder) => {
  process.send?.(await flood(order));
});
process.on('disconnect', () => process.exit());
