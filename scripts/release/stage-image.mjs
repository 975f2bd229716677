import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packagesApart } from '../build-server.mjs';
import { root } from '../build-state.mjs';
import { stageProgram } from './packages.mjs';

/** What the image holds of ours, into the folder that is named: the program, and of its packages what is read while it runs. */

/** The image runs on a PostgreSQL of its own, so the embedded one stays behind; `*` names no package. */
const wanted = packagesApart.filter((name) => !name.includes('*'));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Where `name` is found from the package at `place`, as Node looks for it: its own folder first, then outwards. */
function findPlace(name, place) {
  for (let from = place; ; from = from.slice(0, from.lastIndexOf('node_modules/')).replace(/\/$/, '')) {
    const found = `${from ? `${from}/` : ''}node_modules/${name}`;
    if (packages[found] || !from) return found;
  }
}

/** The packages beside the bundle with all they ask for, by their places; those for other machines are not installed. */
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

/** For those who build with a package, or look into it; and machine code for machines that this one is not. */
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
    // A package that lies inside another is asked for by itself.
    filter: (path) => runs(own(path)) && relative(join(root, place), path) !== 'node_modules',
  });
}
