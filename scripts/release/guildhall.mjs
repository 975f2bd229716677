#!/usr/bin/env node
// The package's command: `guildhall serve` starts the service, and all other commands go to the command line.
const [, , command] = process.argv;
if (command === 'serve' || command === 'backup' || command === 'restore') {
  // The service starts without an argument, but takes `backup` and `restore` as arguments.
  if (command === 'serve') process.argv.splice(2, 1);
  await import('../dist/src/main.js');
} else {
  const { createRequire } = await import('node:module');
  createRequire(import.meta.url)('./guildhall.cjs');
}
