import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build-state.mjs';

const run = (program, args) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }).trim();
const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What the program is made of, bundled or beside it, as CycloneDX: read from the lock file, so that it is the same on every machine. */
export function writeBillOfMaterials(folder, version) {
  const name = `guildhall-${version}.cdx.json`;
  const text = run('npm', [
    'sbom',
    '--sbom-format=cyclonedx',
    '--package-lock-only',
    '--omit=dev',
    '--loglevel=error',
  ]);
  writeFileSync(join(folder, name), `${text}\n`);
  return name;
}

/** From what, and how, the files were made: an in-toto statement with SLSA's provenance. Unsigned: whoever publishes signs it. */
export function writeProvenance(folder, version, names) {
  const name = `guildhall-${version}.provenance.json`;
  const commit = run('git', ['rev-parse', 'HEAD']);
  const changed = run('git', ['status', '--porcelain']) !== '';
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: names.map((each) => ({ name: each, digest: { sha256: digestOf(join(folder, each)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:guildhall:npm-run-release:1',
        externalParameters: { version, uncommittedChanges: changed },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { name: 'sources', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: digestOf(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: 'urn:guildhall:builder:local' } },
    },
  };
  writeFileSync(join(folder, name), `${JSON.stringify(statement, null, 2)}\n`);
  return name;
}

/** In the form that `sha256sum --check` reads. */
export function writeChecksums(folder, names) {
  const lines = names.map((each) => `${digestOf(join(folder, each))}  ${each}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  return 'SHA256SUMS';
}
