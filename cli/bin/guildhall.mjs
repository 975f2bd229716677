#!/usr/bin/env node
// The program in a checkout (`npx guildhall`): built when it is missing or older than its sources.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildCli, isCliStale } from '../build.mjs';

const program = fileURLToPath(new URL('../dist/guildhall.cjs', import.meta.url));
if (!existsSync(program) || isCliStale(program)) await buildCli();
createRequire(import.meta.url)(program);
