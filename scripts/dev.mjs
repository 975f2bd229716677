import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './build-state.mjs';

const binary = (name) => join(root, 'node_modules', '.bin', name);
const children = new Map();
let stopping = false;

function run(name, command, args) {
  // Its own process group: Ctrl-C reaches this program alone, which then stops the others in order.
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  children.set(name, child);
  child.on('error', (error) => console.error(`${name}: ${error.message}`));
  child.on('close', (code) => {
    children.delete(name);
    if (stopping) return;
    console.error(`${name} ended with code ${code}; stopping the rest`);
    process.exitCode = code || 1;
    stop('SIGTERM');
  });
}

function stop(signal) {
  for (const child of children.values()) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It ended between the question and the signal.
    }
  }
}

function onSignal() {
  // Asked twice means now.
  stop(stopping ? 'SIGKILL' : 'SIGTERM');
  stopping = true;
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.on('exit', () => stop('SIGKILL'));

await build(['sidecar']);
run('server', binary('tsx'), ['watch', '--clear-screen=false', 'src/main.ts', ...process.argv.slice(2)]);
if (existsSync(join(root, 'dashboard', 'index.html')))
  run('dashboard', binary('vite'), ['dashboard', '--clearScreen', 'false']);
