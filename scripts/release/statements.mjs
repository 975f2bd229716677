import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docsPackage } from '../build-server.mjs';
import { listSources, root } from '../build-state.mjs';

const run = (program, args) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }).trim();
const digestOf = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/**
 * Writes a CycloneDX bill of materials with the run-time dependencies and the packages that the pages and the
 * command line bundle. It is derived from the lock file and the sources, so that the same commit and npm
 * version give the same file.
 */
export function writeBillOfMaterials(folder, version) {
  const name = `guildhall-${version}.cdx.json`;
  const bill = askForBill();
  const { component } = bill.metadata;
  const shipped = listShipped(bill);
  bill.components = bill.components.filter((each) => shipped.has(each['bom-ref']));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => shipped.has(ref))
    .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => shipped.has(ref)) }));
  // npm inserts the folder's name, the current time and a random number, which are replaced.
  component.name = 'guildhall';
  bill.metadata.timestamp = new Date(run('git', ['log', '-1', '--format=%cI'])).toISOString();
  delete bill.serialNumber;
  writeFileSync(join(folder, name), `${JSON.stringify(bill, null, 2)}\n`);
  return name;
}

const askForBill = (...options) =>
  JSON.parse(
    run('npm', [
      'sbom',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
      '--package-lock-only',
      '--loglevel=error',
      ...options,
    ]),
  );

/** Selects the packages that a release contains, by their references in the bill. */
function listShipped({ metadata, dependencies }) {
  const asked = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shipped = new Set(askForBill('--omit=dev').dependencies.map(({ ref }) => ref));
  const visit = (ref) => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const each of asked.get(ref) ?? []) visit(each);
  };
  const imported = listImported();
  for (const ref of asked.get(metadata.component['bom-ref'])) {
    const name = ref.slice(0, ref.lastIndexOf('@'));
    if (imported.has(name)) visit(ref);
    // Only files of this package are copied, and none of its dependencies.
    if (name === docsPackage) shipped.add(ref);
  }
  return shipped;
}

/** The packages that the programs other than the service bundle. */
function listImported() {
  const sources = ['dashboard/src', 'cli/src', 'client/src', 'packages', 'sidecar/src'].flatMap(listSources);
  const imports = sources
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/(?:from|import|import\() ?'((?:@[\w.-]+\/)?[\w.-]+)/g),
    ]);
  return new Set(imports.map(([, name]) => name));
}

/** Writes an unsigned in-toto statement with SLSA provenance of how the files were built. */
export function writeProvenance(folder, version, names, parameters) {
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
        externalParameters: { version, ...parameters, uncommittedChanges: changed },
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

/** Writes checksums in the format of `sha256sum --check`. */
export function writeChecksums(folder, names) {
  const lines = names.map((each) => `${digestOf(join(folder, each))}  ${each}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  return 'SHA256SUMS';
}
