import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packagesApart } from '../build-server.mjs';
import { root } from '../build-state.mjs';
import { stageProgram } from './packages.mjs';

/** Copies the program, and the packages it reads at run time, into the given folder for the image. */

/** Leaves out embedded PostgreSQL, because the image uses an external one; `*` is not a package name. */
const wanted = packagesApart.filter((name) => !name.includes('*'));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Resolves `name` from the package at `place` as Node.js does: innermost node_modules first. */
function findPlace(name, place) {
  for (let from = place; ; from = from.slice(0, from.lastIndexOf('node_modules/')).replace(/\/$/, '')) {
    const found = `${from ? `${from}/` : ''}node_modules/${name}`;
    if (packages[found] || !from) return found;
  }
}

/** The locations of the packages outside the bundle and all their dependencies that are installed. */
function listPlaces() {
  const places = new Set();
  const visit = (name, from) => {
    const place = findPlace(name, from);
    if (places.has(place) || !existsSync(join(root, place))) return;
    places.add(place);
    const { dependencies, optionalDependencies, peerDependencies } = packages[place];
    const asked = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const each of Object.keys(asked)) visit(each, place);
  };
  for (const name of wanted) visit(name, '');
  return [...places];
}

/** Files that are needed only for development, and native code for other platforms. */
const notForRunning = [
  /\.map$/,
  /\.d\.[cm]?ts$/,
  /\.md$/i,
  /\/(test|benchmarks|examples)$/,
  /^web-tree-sitter\/debug$/,
  new RegExp(`^onnxruntime-node/bin/napi-v3/(?!${process.platform}/${process.arch}$)\\w+/\\w+$`),
];
const runs = (path) => !notForRunning.some((pattern) => pattern.test(path));

const [folder] = process.argv.slice(2);
stageProgram(folder);
const own = (path) => relative(join(root, 'node_modules'), path);
for (const place of listPlaces()) {
  cpSync(join(root, place), join(folder, place), {
    recursive: true,
    // A nested package is copied by its own entry.
    filter: (path) => runs(own(path)) && relative(join(root, place), path) !== 'node_modules',
  });
}
