import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from './build-state.mjs';

// Two compilers are installed and only one can be the `tsc` binary, so ours is named by its path.
const binary = (name) =>
  name === 'tsc'
    ? join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    : join(root, 'node_modules', '.bin', name);
// Generous, because it only has to stop checks that hang, and the machine may be busy.
const limitSeconds = 1800;

// Reuses results for files that have not changed since the last check.
const remembering = (name) => [
  '--singleThreaded',
  '--incremental',
  '--tsBuildInfoFile',
  join(root, 'dist', 'check', `${name}.tsbuildinfo`),
];

// Slow checks first, so that with few cores the total is little more than the slowest check.
const checks = [
  { name: 'types and statements', run: () => runProgram('tsx', ['scripts/check-sql.ts']) },
  {
    name: 'dashboard types',
    run: () => runProgram('tsc', ['--noEmit', '-p', 'dashboard', ...remembering('dashboard')]),
  },
  {
    name: 'client types',
    run: () => runProgram('tsc', ['--noEmit', '-p', 'client', ...remembering('client')]),
  },
  { name: 'generated files', run: () => runProgram('tsx', ['scripts/check-generated.ts']) },
  { name: 'unused code', run: () => runProgram('knip', ['--no-progress']) },
  { name: 'format and lint', run: () => runProgram('biome', ['check', '.']) },
  { name: 'architecture', run: () => runProgram('tsx', ['scripts/check-architecture.ts']) },
  {
    name: 'interface, Redocly',
    run: () => runProgram('redocly', ['lint', 'openapi.json', '--format=stylish']),
  },
  {
    name: 'interface, Spectral',
    run: () => runProgram('spectral', ['lint', 'openapi.json', '--ruleset', '.spectral.yaml', '--quiet']),
  },
  { name: 'table owners', run: () => runProgram('tsx', ['scripts/check-tables.ts']) },
  { name: 'documents', run: () => runProgram('tsx', ['scripts/check-docs.ts']) },
  { name: 'prose', run: () => runProgram('tsx', ['scripts/check-prose.ts']) },
  { name: 'lock file', run: checkLockFile },
];

/** Its install script reports each installation to its publisher. */
const reportingPackage = 'node_modules/@scarf/scarf';

/**
 * Rejects recorded download addresses, which tie everyone to one registry, and install scripts that are not
 * in `allowScripts` of package.json, which make npm warn on each install.
 */
async function checkLockFile() {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const addresses = text
    .split('\n')
    .flatMap((line, index) =>
      line.includes('"resolved": "http') ? [`package-lock.json:${index + 1} records a download address`] : [],
    );
  const { packages } = JSON.parse(text);
  const scripts = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1))
    .filter((name) => !(name in allowScripts))
    .map((name) => `package.json does not say in allowScripts whether ${name} may run its install script`);
  const reporting = packages[reportingPackage];
  const reports =
    reporting && !reporting.dev
      ? [`${reportingPackage} reaches people who install a release: depend on it for development only`]
      : [];
  const faults = [...addresses, ...scripts, ...reports];
  return { passed: faults.length === 0, output: faults.join('\n') };
}

function runProgram(name, args) {
  return new Promise((resolve) => {
    const chunks = [];
    const child = spawn(binary(name), args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitSeconds * 1000,
      // Tools must not send telemetry.
      env: {
        ...process.env,
        NO_COLOR: '1',
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    });
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ passed: false, output: error.message }));
    child.on('close', (code, signal) => {
      const output = Buffer.concat(chunks).toString('utf8').trim();
      const killed = signal ? `\nstopped by ${signal} (limit: ${limitSeconds} s)` : '';
      resolve({ passed: code === 0, output: output + killed });
    });
  });
}

async function runCheck(check) {
  const begin = performance.now();
  const result = await check.run();
  return { name: check.name, ...result, seconds: (performance.now() - begin) / 1000 };
}

async function runAll() {
  const results = new Array(checks.length);
  let next = 0;
  const work = async () => {
    while (next < checks.length) {
      const index = next++;
      results[index] = await runCheck(checks[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return results;
}

const results = await runAll();
for (const { name, output, passed } of results) {
  // A check that passes may still print warnings, such as for a file that has grown too long.
  const worthShowing = !passed || /^warning:/m.test(output);
  if (worthShowing && output) console.log(`--- ${name}\n${output}\n`);
}
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s`);
}
const failed = results.filter((result) => !result.passed);
if (failed.length > 0) {
  console.log(
    `\n${failed.length} of ${results.length} checks failed: ${failed.map(({ name }) => name).join(', ')}`,
  );
  process.exitCode = 1;
} else {
  console.log(`\nAll ${results.length} checks passed`);
}
