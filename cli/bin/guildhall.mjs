#!/usr/bin/env node
// The command line in a checkout; rebuilds itself when it is missing or older than its sources.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildCliAlone, isCliStale } from '../build.mjs';

const [, , command] = process.argv;
if (command === 'serve' || command === 'backup' || command === 'restore') {
  // start.mjs serves without an argument, but takes `backup` and `restore` as arguments.
  if (command === 'serve') process.argv.splice(2, 1);
  await import('../../scripts/start.mjs');
} else {
  const program = fileURLToPath(new URL('../dist/guildhall.cjs', import.meta.url));
  if (!existsSync(program) || isCliStale(program)) await buildCliAlone();
  createRequire(import.meta.url)(program);
}
