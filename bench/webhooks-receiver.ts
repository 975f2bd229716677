import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver that answers immediately and counts deliveries. */
let received = 0;
const ids = new Set<string>();

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    received += 1;
    ids.add(`${request.url} ${request.headers['webhook-id']}`);
    response.writeHead(204).end();
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ received, different: ids.size }));
process.on('disconnect', () => process.exit(0));
