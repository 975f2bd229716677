import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeDesk, deskNumber } from './desks-names.js';

/** Simulates a fleet of sidecars with one server, which answers on the loopback address of every desk. */
let answered = 0;

const server = createServer((request, response) => {
  const desk = describeDesk(deskNumber(request.socket.localAddress ?? ''));
  const nonce = String(request.headers['x-guildhall-nonce']);
  answered += 1;
  response.writeHead(200, {
    'content-type': 'application/json',
    'x-guildhall-proof': createHmac('sha256', desk.tokenHash).update(nonce).digest('hex'),
  });
  response.end(
    JSON.stringify({
      env_id: desk.deskId,
      installation_id: `machine-${desk.deskId}`,
      version: '0.3.0',
      code_digest: 'a'.repeat(64),
      building: false,
      credentials: [],
      pending_sync_count: 0,
    }),
  );
});

server.listen(0, '0.0.0.0', 4096, () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ answered }));
process.on('SIGTERM', () => process.exit(0));
