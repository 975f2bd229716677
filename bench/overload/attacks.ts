import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchWorld } from '../row.js';

/** Attacks by a single caller. Each function returns a function that stops the attack. */

const STRANGERS = 900;
const RESET_CONNECTIONS = 72;
const PIPELINED = 100;
const AT_ONCE = 50;

const NO_PROJECT = '00000000-0000-4000-8000-000000000000';

const headOf = (method: string, path: string, headers: Record<string, string>) =>
  `${method} ${path} HTTP/1.1\r\n${Object.entries({ host: 'bench', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Opens connections that send the headers of a sign-in or a webhook delivery and one byte of the body. */
export async function withholdBodies(url: string): Promise<() => void> {
  const json = { 'content-type': 'application/json', 'content-length': '100' };
  const heads = [
    headOf('POST', '/api/v1/auth/login', json),
    headOf('POST', `/api/v1/hooks/${NO_PROJECT}`, { ...json, 'x-gitlab-token': 'unknown' }),
  ];
  const sockets: Socket[] = [];
  while (sockets.length < STRANGERS) {
    const opened = await Promise.all(Array.from({ length: AT_ONCE }, () => open(url)));
    for (const [n, socket] of opened.entries()) socket.write(`${heads[n % heads.length]}{`);
    sockets.push(...opened);
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Opens connections with a hundred pipelined requests each, and resets them before an answer. */
export async function resetConnections(url: string, world: BenchWorld): Promise<void> {
  const health = headOf('GET', '/api/v1/system/health', {});
  const boards = headOf('GET', '/api/v1/board/boards', world.bearer);
  for (let n = 0; n < RESET_CONNECTIONS; n += 1) {
    const socket = await open(url);
    socket.write((health + boards).repeat(PIPELINED / 2));
    await wait(10);
    socket.resetAndDestroy();
  }
  await wait(1000);
}

/** Readers of one path that each send the next request as soon as they have an answer. */
export async function readAgainAndAgain(
  url: string,
  { bearer }: BenchWorld,
  path: string,
  readers: number,
): Promise<() => Promise<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: readers });
  let isOver = false;
  let served = 0;
  const read = () =>
    new Promise<void>((resolve) => {
      get(`${url}${path}`, { agent, headers: bearer }, (answer) => {
        if (answer.statusCode === 200) served += 1;
        answer.on('end', resolve).on('error', resolve).resume();
      }).on('error', () => resolve());
    });
  const running = Array.from({ length: readers }, async () => {
    while (!isOver) await read();
  });
  await wait(1500);
  return async () => {
    isOver = true;
    await Promise.all(running);
    agent.destroy();
    return served;
  };
}
