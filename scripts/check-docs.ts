import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { inspectCommands, inspectDocument } from './docs-rules.js';

const read = (path: string) => readFileSync(path, 'utf8');
const listFiles = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path));

// Entries for earlier versions stay as written.
const documents = listFiles('*.md').filter((path) => path !== 'CHANGELOG.md');
const programs = listFiles('src', 'cli', 'client', 'dashboard', 'sidecar', 'deploy', 'scripts').filter(
  (path) =>
    /\.(?:[cm]?[jt]sx?|json|sh|ya?ml|service|tmpl|txt)$/.test(path) && path !== 'scripts/docs-rules.ts',
);
const faults = [
  ...documents.flatMap((path) => inspectDocument(path, read(path), { exists: existsSync, read })),
  ...[...documents, ...programs].flatMap((path) => inspectCommands(path, read(path))),
];
for (const fault of faults) console.error(fault);
console.log(`${documents.length} documents, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
