import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { openCompiler } from './build-server.mjs';
import { mainModule, root } from './build-state.mjs';

const children = new Map();
let stopping = false;

function run(name, command, args) {
  // In its own process group, so that Ctrl+C reaches only this program, which stops the others in order.
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  children.set(name, child);
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      if (children.get(name) === child) children.delete(name);
      resolve(code);
    });
  });
}

function send(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The process exited before it received the signal.
  }
}

function stopAll(signal) {
  for (const child of children.values()) send(child, signal);
}

function onSignal() {
  // A second Ctrl+C kills immediately.
  stopAll(stopping ? 'SIGKILL' : 'SIGTERM');
  stopping = true;
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.on('exit', () => stopAll('SIGKILL'));

await build(['sidecar']);
const compiler = await openCompiler();
const serverArguments = [mainModule, ...process.argv.slice(2)];
let served = Promise.resolve();

/** On a compile error the running program stays up, and the compiler has printed the error. */
async function serveAnew() {
  const compiled = await compiler.compile().then(
    () => true,
    () => false,
  );
  if (!compiled || stopping) return;
  const old = children.get('server');
  if (old) send(old, 'SIGTERM');
  await served;
  if (stopping) return;
  served = run('server', process.execPath, serverArguments).then((code) => {
    if (code) console.error(`server ended with code ${code}; it starts again when a file changes`);
  });
}

// Waits for an editor or a branch change to finish writing, so that all changes compile once.
let timer;
let turn = serveAnew();
const changed = (_, file) => {
  if (stopping || !file || /\.test\.ts$|~$|\.sw.$/.test(file)) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    turn = turn.then(serveAnew);
  }, 40);
};
for (const folder of ['src', 'packages']) watch(join(root, folder), { recursive: true }, changed);

if (existsSync(join(root, 'dashboard', 'index.html'))) {
  const vite = join(root, 'node_modules', '.bin', 'vite');
  run('dashboard', vite, ['dashboard', '--clearScreen', 'false']).then((code) => {
    if (!stopping) console.error(`dashboard ended with code ${code}`);
  });
}
