import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import { compileFunction, constants } from 'node:vm';
import { build } from 'esbuild';
import { root } from '../support/build.js';

type Run = (typed: string[], env: Record<string, string | undefined>) => Promise<void>;
type Loaded = (require: NodeJS.Require, exports: { run: Run }, process: object) => void;

let loaded: Promise<Loaded> | undefined;

/** Bundles the sources into one function, so that each run can have its own `process`. */
async function load(): Promise<Loaded> {
  const { outputFiles } = await build({
    entryPoints: [`${root}/cli/src/run.ts`],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  // The bundle replaces `module.exports`, so it gets its own `module` object.
  const code = `const module = { exports: {} };\n${outputFiles[0]!.text}\nObject.assign(exports, { run: module.exports.run });`;
  return compileFunction(code, ['require', 'exports', 'process'], {
    filename: 'guildhall-run.cjs',
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as Loaded;
}

/**
 * Runs a command in this process, because starting one takes longer than most commands. Each run has its own
 * modules, streams, folder and environment.
 */
export async function runHere(
  typed: string[],
  { cwd, env, stdin }: { cwd: string; env: Record<string, string>; stdin: string | Buffer },
): Promise<{ code: number; stdout: string; stderr: string }> {
  loaded ??= load();
  const evaluate = await loaded;
  const said = { stdout: '', stderr: '' };
  const hear = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += chunk;
        done();
      },
    });
  const own = {
    argv: [process.execPath, 'guildhall', ...typed],
    env,
    cwd: () => cwd,
    stdin: Readable.from(stdin.length > 0 ? [Buffer.from(stdin)] : []),
    stdout: hear('stdout'),
    stderr: hear('stderr'),
    exitCode: 0,
    on: () => {},
    exit: (code: number) => {
      throw new Error(`The program ended itself with ${code}`);
    },
  };
  const itsProcess = Object.create(process, Object.getOwnPropertyDescriptors(own)) as typeof own;
  const usual = createRequire(import.meta.url);
  const require = ((name: string) =>
    /^(node:)?process$/.test(name) ? itsProcess : usual(name)) as NodeJS.Require;
  const exports = {} as { run: Run };
  evaluate(require, exports, itsProcess);
  await exports.run(typed, env);
  return { code: itsProcess.exitCode, ...said };
}
