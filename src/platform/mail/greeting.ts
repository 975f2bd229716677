import { connect } from 'node:net';

/** What a mail server says first to whoever comes. */
export function readGreeting(
  { host, port }: { host: string; port: number },
  patienceMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('The mail server is silent')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The mail server hung up')));
    socket.once('data', (greeting) => {
      resolve(greeting.toString('latin1'));
      socket.end('QUIT\r\n');
    });
  });
}
