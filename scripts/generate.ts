import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { listLeftovers, makeFiles } from './generated-files.js';

const made = new Set<string>();
for await (const { path, text } of makeFiles()) {
  const present = await readFile(path, 'utf8').catch(() => undefined);
  await mkdir(dirname(path), { recursive: true });
  if (present !== text) await writeFile(path, text);
  made.add(path);
  console.log(`${present === text ? 'unchanged' : 'written  '} ${path}`);
}
for (const path of await listLeftovers(made)) {
  await rm(path);
  console.log(`removed   ${path}`);
}
