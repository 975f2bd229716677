import { readFile, writeFile } from 'node:fs/promises';
import { generatedFiles } from './generated-files.js';

for (const { path, make } of generatedFiles) {
  const made = await make();
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present !== made) await writeFile(path, made);
  console.log(`${present === made ? 'unchanged' : 'written  '} ${path}`);
}
