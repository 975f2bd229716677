import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runBuild } from './builds.js';
import { runCheckFolder } from './checks/check-runner.js';
import { deskFiles } from './desk-files.js';
import { SIDECAR_VERSION, sha256 } from './protocol.js';
import { runBuildFolder } from './runner/runner.js';
import { installMissingRuntime } from './runtime.js';
import { createSidecar } from './sidecar.js';
import { takeLock } from './sidecar-lock.js';
import { isBuildId } from './work/build-protocol.js';
import { stopBuilds } from './work/desk-work.js';

const files = deskFiles();

async function main([command, ...rest]: string[]): Promise<void> {
  switch (command) {
    case 'serve':
      // Exit when the parent process closes the pipe.
      if (rest[0] === '--with-parent') process.stdin.on('end', () => process.exit(0)).resume();
      return serve();
    case 'check':
      openSidecar().readHealth();
      return;
    case 'version':
      console.log(`${SIDECAR_VERSION} ${ownDigest()}`);
      return;
    case 'mesh-keys':
      return printMeshKeys();
    case 'install-runtime':
      process.exitCode = (await installMissingRuntime(files.readConfig().runtime, files)) ? 0 : 1;
      return;
    case 'build':
      process.exitCode = await runBuild(files.builds, rest[0] === '--' ? rest.slice(1) : rest);
      return;
    case 'run-build':
      return runOrdered(rest);
    case 'run-checks':
      return runOrderedChecks(rest);
    case 'stop-builds':
      return stopBuilds(files);
    default:
      console.error(
        'Usage: sidecar.mjs serve | check | version | mesh-keys | install-runtime | build -- <command>',
      );
      process.exitCode = 2;
  }
}

/** Entry point of the process that runs a build; the sidecar starts it. */
async function runOrdered([buildId, option]: string[]): Promise<void> {
  if (!isBuildId(buildId)) throw new Error('Usage: guildhall-sidecar run-build <build id>');
  // Ignore the terminal's signals: the build must save its work before it exits.
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {});
  await runBuildFolder({ files, config: files.readConfig(), buildId, salvage: option === '--salvage' });
  process.exit(0);
}

async function runOrderedChecks([buildId]: string[]): Promise<void> {
  if (!isBuildId(buildId)) throw new Error('Usage: guildhall-sidecar run-checks <build id>');
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {});
  await runCheckFolder({ files, config: files.readConfig(), buildId });
  process.exit(0);
}

const program = fileURLToPath(import.meta.url);
const ownDigest = (): string => sha256(readFileSync(program));

const openSidecar = () =>
  createSidecar({
    files,
    config: files.readConfig(),
    codeDigest: ownDigest(),
    program,
    exit: (code) => process.exit(code),
  });

async function serve(): Promise<void> {
  if (process.env['GUILDHALL_SUPERVISED']) endWithParent();
  await takeLock(files);
  const sidecar = openSidecar();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void sidecar.stop().then(() => process.exit(0)));
  }
  await sidecar.start();
  console.log(`Guildhall sidecar ${SIDECAR_VERSION} answers at ${sidecar.url()}`);
}

/** Stops with its parent so that a new sidecar can start; builds continue in their own processes. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}

/** Generates the keys here because a new machine has no `wg` yet; the private key never leaves the desk. */
function printMeshKeys(): void {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const raw = (key: string | undefined) => Buffer.from(key ?? '', 'base64url').toString('base64');
  console.log(`${raw(privateKey.export({ format: 'jwk' }).d)} ${raw(publicKey.export({ format: 'jwk' }).x)}`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
