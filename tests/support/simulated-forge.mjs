// Runs the simulated host as a separate program: takes its options as JSON and prints its address.
import { text } from 'node:stream/consumers';
import { startSimulatedForge } from '../../dist/modules/src/demo/host/simulated-forge.js';

const forge = await startSimulatedForge({ ...JSON.parse(await text(process.stdin)), control: true });
process.stdout.write(`${JSON.stringify({ origin: forge.origin, apiUrl: forge.apiUrl })}\n`);
