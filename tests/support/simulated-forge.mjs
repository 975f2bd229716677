// The simulated host as a program of its own: its options come as JSON, and it says where it is.
import { text } from 'node:stream/consumers';
import { startSimulatedForge } from '../../dist/modules/src/demo/host/simulated-forge.js';

const forge = await startSimulatedForge({ ...JSON.parse(await text(process.stdin)), control: true });
process.stdout.write(`${JSON.stringify({ origin: forge.origin, apiUrl: forge.apiUrl })}\n`);
