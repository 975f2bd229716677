import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, foldersOf, inspectFile } from './architecture-rules.js';
import { findCircles } from './import-circles.js';

const places = ['src', 'packages', 'sidecar', 'dashboard', 'client', 'cli', 'bench', 'scripts'];
const isCode = (path: string) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts');
const isTest = (path: string) => /\.test\.tsx?$/.test(path);

function listCode(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path).replaceAll('\\', '/'))
      .filter((path) => isCode(path) && !isTest(path) && !path.includes('/node_modules/'))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const describe = ({ path, line, message }: Fault) => `${path}:${line} ${message}`;

const files = places.flatMap(listCode);
const findings = files.map(inspectFile);
const graph = new Map(findings.map(({ path, imports }) => [path, imports]));
const circles = [graph, foldersOf(graph)].flatMap(findCircles).map(
  (circle): Fault => ({
    path: circle[0]!,
    line: 1,
    message: `imports itself by way of ${circle.slice(1).join(', ')}`,
  }),
);
const faults = [...findings.flatMap((finding) => finding.faults), ...circles];
const warnings = findings.flatMap((finding) => finding.warnings);

for (const warning of warnings) console.log(`warning: ${describe(warning)}`);
for (const fault of faults) console.error(describe(fault));
console.log(`${files.length} files, ${faults.length} faults, ${warnings.length} warnings`);
process.exitCode = faults.length > 0 ? 1 : 0;
