#!/usr/bin/env node
// The command of the package: `guildhall serve` is the service, everything else is the command line.
if (process.argv[2] === 'serve') {
  process.argv.splice(2, 1);
  await import('../dist/src/main.js');
} else {
  const { createRequire } = await import('node:module');
  createRequire(import.meta.url)('./guildhall.cjs');
}
