#!/usr/bin/env node
// The command of the package: `guildhall serve` is the service, everything else is the command line.
const [, , command] = process.argv;
if (command === 'serve' || command === 'backup' || command === 'restore') {
  // The service is started without a word; the others are known to it by theirs.
  if (command === 'serve') process.argv.splice(2, 1);
  await import('../dist/src/main.js');
} else {
  const { createRequire } = await import('node:module');
  createRequire(import.meta.url)('./guildhall.cjs');
}
