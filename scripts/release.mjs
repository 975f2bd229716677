import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { root } from './build-state.mjs';
import { buildImage } from './release/image.mjs';
import { packAll } from './release/packages.mjs';
import { writeBillOfMaterials, writeChecksums, writeProvenance } from './release/statements.mjs';
import { tryImage } from './release/try-image.mjs';

const help = `Makes everything that a release consists of, in release/.

  npm run release                       packages, bill of materials, checksums, provenance
  npm run release -- --image            and the container image (docker, or buildah where there is none)
  npm run release -- --image --base-from-machine
                                        its base from Debian's packages and this machine's Node: no registry of images is asked
  npm run release -- --image --try      and starts it, read-only and not as root, and goes through what it promises; podman or docker,
                                        a DATABASE_URL on whose server a database may be made for it, a REDIS_URL
  npm run release -- --out <folder>     somewhere else`;

const { values } = parseArgs({
  options: {
    image: { type: 'boolean', default: false },
    'base-from-machine': { type: 'boolean', default: false },
    try: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'release') },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folder = values.out;
mkdirSync(folder, { recursive: true });
// Removes files of an earlier release, and leaves all other files in the folder.
for (const name of readdirSync(folder)) {
  if (/^(guildhall-.*\.(tgz|json|tar)|SHA256SUMS)$/.test(name)) rmSync(join(folder, name));
}
await build();
const names = [...packAll(folder), writeBillOfMaterials(folder, version)];
if (values.image) {
  const made = buildImage(folder, version, { baseFromMachine: values['base-from-machine'] });
  if (made) names.push(made);
  else console.error('No image: neither docker nor buildah is installed here.');
  if (made && values.try) await tryImage(join(folder, made), version);
}
const { image, 'base-from-machine': baseFromMachine } = values;
names.push(writeProvenance(folder, version, names, { image, baseFromMachine }));
names.push(writeChecksums(folder, names));
console.log(`Guildhall ${version}\n${names.map((name) => `  ${join(folder, name)}`).join('\n')}`);
