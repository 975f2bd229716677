import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { ParserPool } from '../../../code/parsing/parser-pool.js';
import { createMirror } from '../git/mirror.js';
import { type IndexBounds, PROJECT_BOUNDS } from './bounds.js';
import { unpackEdges } from './code-graph.js';
import { runIndex } from './index-run.js';
import type { FollowedRun } from './index-state.js';
import { type IndexState, makeState } from './index-state.js';

const parsers = new ParserPool(1);
const mirrors = mkdtempSync(join(tmpdir(), 'guildhall-mirrors-'));
const made: ScratchRepository[] = [];
let projects = 0;

afterEach(() => {
  for (const repository of made.splice(0)) repository.dispose();
});
afterAll(async () => {
  await parsers.close();
  rmSync(mirrors, { recursive: true, force: true });
});

const alone: FollowedRun = {
  isAnchored: () => true,
  step: async () => {},
  finish: async () => {},
  write: async () => ({ lessons: 0, warnings: [] }),
};

function repository(): ScratchRepository {
  const created = new ScratchRepository();
  made.push(created);
  return created;
}

/** A project that is indexed without a database. */
class Indexed {
  state: IndexState = makeState(0, [], new Map(), new Map());
  commit: string | null = null;
  steps = 0;
  warnings: string[] = [];
  truncated = false;
  readonly mirror = createMirror(mirrors, `project${++projects}`);

  constructor(
    readonly from: ScratchRepository,
    readonly bounds?: IndexBounds,
  ) {}

  async index(): Promise<this> {
    const to = await this.mirror.fetch({ url: this.from.folder, protocols: 'file' }, null);
    const output = await runIndex({
      mirror: this.mirror,
      parsers,
      state: this.state,
      follower: alone,
      from: this.commit,
      to,
      stepCount: this.steps,
      report: async () => {},
      bounds: this.bounds,
    });
    const linked = await output.link();
    this.commit = to;
    this.steps = output.stepCount;
    this.warnings = [...output.warnings, ...linked.warnings];
    this.truncated = output.truncated || linked.truncated;
    return this;
  }

  /** Drops in-memory facts, as after a restart with only the stored nodes. */
  forgetFacts(): this {
    this.state = makeState(0, this.state.table.nodes.values(), new Map(), this.state.edges);
    return this;
  }

  id(path: string): string | undefined {
    return this.#live().find((node) => node.path === path)?.id;
  }

  #live() {
    return [...this.state.table.nodes.values()].filter((node) => node.live);
  }

  get ids(): Map<string, string> {
    return new Map(this.#live().map((node) => [`${node.kind} ${node.path}`, node.id]));
  }

  /** The graph as text without ids. */
  get graph(): string[] {
    const { nodes } = this.state.table;
    const edges = [...this.state.edges.values()].flatMap((packed) => [...unpackEdges(packed)]);
    return [
      ...this.#live().map(
        (node) => `${node.kind} ${node.path} in ${node.parent === null ? '-' : nodes.get(node.parent)!.path}`,
      ),
      ...edges.map((edge) => `${nodes.get(edge.source)!.path} ${edge.kind} ${nodes.get(edge.target)!.path}`),
    ].sort();
  }
}

const body = (name: string, word: string) =>
  `export function ${name}(a: number, b: number) {\n  const total = a * 3 + b;\n  return total > 10 ? ${word}(total) : total;\n}\n`;

describe('Renamed file', () => {
  it('keeps its node ids (file and symbols)', async () => {
    const from = repository();
    from.save({ 'src/a.ts': body('f', 'Math.abs') + body('g', 'Math.ceil') });
    const project = await new Indexed(from).index();
    const before = project.ids;
    from.move('src/a.ts', 'lib/deep/b.ts').commit();
    await project.index();
    expect(project.id('lib/deep/b.ts')).toBe(before.get('file src/a.ts'));
    expect(project.id('lib/deep/b.ts#f')).toBe(before.get('symbol src/a.ts#f'));
    expect(project.id('src/')).toBeUndefined();
  });

  it('keeps them when it is edited in the next commit before the next index run', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'Math.abs') });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts');
    from.move('a.ts', 'b.ts').commit();
    from.save({ 'b.ts': 'export const entirely = () => "different";\n' });
    await project.index();
    expect(project.id('b.ts')).toBe(id);
  });

  it('keeps the id of its folder too', async () => {
    const from = repository();
    from.save({ 'src/one/a.ts': body('f', 'a'), 'src/one/b.ts': body('g', 'b'), 'src/c.ts': '' });
    const project = await new Indexed(from).index();
    const id = project.id('src/one/');
    from.move('src/one', 'src/two').commit();
    await project.index();
    expect(project.id('src/two/')).toBe(id);
  });
});

describe('Symbol ids', () => {
  it('are kept when a symbol moves to another file in one commit with the same name and body', async () => {
    const from = repository();
    from.save({
      'a.ts': body('f', 'Math.abs') + body('stays', 'Math.ceil'),
      'b.ts': body('other', 'Math.floor'),
    });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts#f');
    from.save({
      'a.ts': body('stays', 'Math.ceil'),
      'b.ts': body('other', 'Math.floor') + body('f', 'Math.abs'),
    });
    await project.index();
    expect(project.id('b.ts#f')).toBe(id);
    expect(project.id('a.ts#f')).toBeUndefined();
  });

  it('are kept for a symbol renamed in its file, and for the members of a renamed class', async () => {
    const from = repository();
    const source = (name: string) =>
      `export class ${name} {\n  run(a: number) { return a + 1; }\n  stop() { return ${name}; }\n}\n`;
    from.save({ 'a.ts': source('Engine') });
    const project = await new Indexed(from).index();
    const before = project.ids;
    from.save({ 'a.ts': source('Motor') });
    await project.index();
    expect(project.id('a.ts#Motor')).toBe(before.get('symbol a.ts#Engine'));
    expect(project.id('a.ts#Motor.run')).toBe(before.get('symbol a.ts#Engine.run'));
  });

  it('are not passed to a neighbor with the same short body when a symbol is deleted', async () => {
    const from = repository();
    from.save({ 'a.ts': 'export function charge() { return 1; }\n' });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts#charge');
    const removing = from.save({ 'a.ts': 'export function refund() { return 1; }\n' });
    await project.index();
    expect(project.id('a.ts#refund')).not.toBe(id);
    const removed = [...project.state.table.nodes.values()].find((node) => node.id === id);
    expect(removed).toMatchObject({ live: false, path: 'a.ts#charge', removedCommit: removing });
  });

  it('are not passed to a symbol with another name in another file', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'Math.abs') + body('stays', 'Math.ceil'), 'b.ts': body('g', 'x') });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts#f');
    from.save({ 'a.ts': body('stays', 'Math.ceil'), 'b.ts': body('g', 'x') + body('h', 'Math.abs') });
    await project.index();
    expect(project.id('b.ts#h')).toBeDefined();
    expect(project.id('b.ts#h')).not.toBe(id);
  });

  it('are not guessed for a symbol that two others resemble equally; it is removed', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'Math.abs') });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts#f');
    from.save({ 'a.ts': '', 'b.ts': body('f', 'Math.abs'), 'c.ts': body('f', 'Math.abs') });
    await project.index();
    expect([project.id('b.ts#f'), project.id('c.ts#f')]).not.toContain(id);
  });

  it('are restored when a revert restores the symbol', async () => {
    const from = repository();
    const text = body('f', 'Math.abs') + body('g', 'Math.ceil');
    from.save({ 'a.ts': text, 'b.ts': body('h', 'x') });
    const project = await new Indexed(from).index();
    const before = project.ids;
    const removing = from.save({ 'a.ts': body('g', 'Math.ceil') });
    from.remove('b.ts').commit();
    await project.index();
    const removed = [...project.state.table.nodes.values()].find((node) => node.path === 'a.ts#f');
    expect(removed).toMatchObject({ live: false, removedCommit: removing });
    from.save({ 'a.ts': text, 'b.ts': body('h', 'x') });
    await project.index();
    expect(project.ids).toEqual(before);
  });
});

describe('Commit that removed code', () => {
  it('is found even after a force push with later commits', async () => {
    const from = repository();
    const base = from.save({ 'a.ts': body('f', 'x') + body('g', 'y'), 'b.ts': body('h', 'z') });
    from.save({ 'c.ts': body('c', 'x') });
    const project = await new Indexed(from).index();
    from.git('reset', '--quiet', '--hard', base);
    const removesFile = from.remove('b.ts').commit();
    const removesSymbol = from.save({ 'a.ts': body('g', 'y') });
    from.save({ 'notes.txt': 'later' });
    await project.index();
    const removed = new Map(
      [...project.state.table.nodes.values()].map((node) => [node.path, node.removedCommit]),
    );
    expect(removed.get('b.ts')).toBe(removesFile);
    expect(removed.get('a.ts#f')).toBe(removesSymbol);
    expect(removed.get('c.ts')).toBe(project.commit);
  });

  it('is the one on the branch, not the merge', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'x') + body('g', 'y'), 'b.ts': body('h', 'z') });
    const project = await new Indexed(from).index();
    from.git('checkout', '--quiet', '-b', 'feature');
    const removesSymbol = from.save({ 'a.ts': body('g', 'y') });
    const removesFile = from.remove('b.ts').commit();
    from.save({ 'c.ts': '' });
    from.git('checkout', '--quiet', 'main');
    from.save({ 'd.ts': '' });
    from.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'feature');
    await project.index();
    const commitOf = (path: string) =>
      [...project.state.table.nodes.values()].find((node) => node.path === path)!.removedCommit;
    expect(commitOf('a.ts#f')).toBe(removesSymbol);
    expect(commitOf('b.ts')).toBe(removesFile);
  });
});

describe('Hostile and unusual repositories', () => {
  it('an empty repository has no nodes', async () => {
    const project = await new Indexed(repository()).index();
    expect(project.commit).toBeNull();
    expect(project.graph).toEqual([]);
  });

  it('indexes a repository with links, binaries, huge files, odd names and broken code', async () => {
    const from = repository();
    from.write({
      'ok.ts': 'export function ok() {}',
      'broken.ts': 'export function ok( { class ===',
      'broken.py': 'def (:\n  class',
      'binary.ts': Buffer.from([0, 1, 2, 0, 255]),
      'huge.ts': Buffer.alloc(100 * 1024 * 1024, 'x'),
      'deep.ts': `x = ${'['.repeat(400_000)}`,
      'words.ts': `x = ${'typeof '.repeat(100_000)}1`,
      'with space/ü#?.ts': 'export function odd() {}',
      'new\nline.ts': 'export function line() {}',
      'node_modules/x/index.js': 'export function vendored() {}',
    });
    from.git('config', 'core.symlinks', 'true');
    from.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `120000,${from.git('hash-object', '-w', 'ok.ts')},link.ts`,
    );
    from.git('add', '--all', '--', '.', ':!link.ts');
    from.git('ls-files', '--error-unmatch', 'link.ts');
    from.git('commit', '--quiet', '-m', 'odd');
    const project = await new Indexed(from).index();
    const paths = [...project.ids.keys()];
    expect(paths).toContain('symbol ok.ts#ok');
    expect(paths).toContain('symbol with space/ü#?.ts#odd');
    expect(paths).toContain('symbol new\nline.ts#line');
    expect(paths).toContain('file huge.ts');
    expect(paths).toContain('file binary.ts');
    expect(paths.filter((path) => /node_modules|link\.ts|huge\.ts#|deep\.ts#/.test(path))).toEqual([]);
  });

  it('leaves out a name that is not UTF-8 with a warning, until it is removed', async () => {
    const from = repository();
    const whole = from.save({ 'ok.ts': 'export function ok() {}' });
    const blob = from.git('rev-parse', 'HEAD:ok.ts');
    const tree = execFileSync('git', ['mktree', '-z'], {
      cwd: from.folder,
      input: Buffer.concat([
        Buffer.from(`100644 blob ${blob}\tbad-`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from(`.ts\u0000100644 blob ${blob}\tok.ts\u0000`),
      ]),
    })
      .toString()
      .trim();
    const later = await new Indexed(from).index();
    expect(later.warnings).toEqual([]);
    from.git('update-ref', 'HEAD', from.git('commit-tree', tree, '-p', 'HEAD', '-m', 'bad'));
    for (const project of [await new Indexed(from).index(), await later.index(), await later.index()]) {
      expect([...project.ids.keys()]).toEqual(expect.arrayContaining(['file ok.ts']));
      expect(project.warnings).toEqual(['1 files were left out: their names are not valid UTF-8']);
    }
    from.git('update-ref', 'HEAD', from.git('commit-tree', `${whole}^{tree}`, '-p', 'HEAD', '-m', 'good'));
    expect((await later.index()).warnings).toEqual([]);
  });

  it('removes everything from a merged branch of which the merge kept nothing', async () => {
    const from = repository();
    from.save({ 'a.ts': 'export function a() {}' });
    from.git('checkout', '--quiet', '-b', 'feature');
    from.save({ 'a.ts': 'export function renamedHere() {}', 'b.ts': 'export function b() {}' });
    const project = await new Indexed(from).index();
    from.git('checkout', '--quiet', 'main');
    from.save({ 'c.ts': 'export function c() {}' });
    from.git('merge', '--quiet', '-s', 'ours', '-m', 'merge', 'feature');
    const paths = [...(await project.index()).ids.keys()].toSorted();
    expect(paths).toEqual(['file a.ts', 'file c.ts', 'folder /', 'symbol a.ts#a', 'symbol c.ts#c']);
  });

  it('a force push keeps unchanged nodes', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'x') });
    from.save({ 'b.ts': body('g', 'y') });
    const project = await new Indexed(from).index();
    const id = project.id('a.ts#f');
    from.git('reset', '--quiet', '--hard', 'HEAD~1');
    from.save({ 'c.ts': body('h', 'z') });
    from.git('commit', '--quiet', '--amend', '-m', 'rewritten');
    await project.index();
    expect(project.id('a.ts#f')).toBe(id);
    expect(project.id('b.ts')).toBeUndefined();
    expect(project.id('c.ts#h')).toBeDefined();
  });

  it('compares tree to tree after a force push that removed the old commit', async () => {
    const from = repository();
    from.save({ 'a.ts': body('f', 'x'), 'b.ts': body('g', 'y') });
    const project = await new Indexed(from).index();
    const before = project.ids;
    project.commit = 'f'.repeat(40);
    from.move('b.ts', 'c.ts').commit();
    await project.index();
    expect(project.id('a.ts#f')).toBe(before.get('symbol a.ts#f'));
    expect(project.id('c.ts#g')).toBe(before.get('symbol b.ts#g'));
  });
});

type Change =
  | { kind: 'write'; path: number; bodies: number[] }
  | { kind: 'remove'; path: number }
  | { kind: 'move'; path: number; to: number }
  | { kind: 'folder'; from: number; to: number };

const paths = ['a.ts', 'src/b.ts', 'src/c.ts', 'src/deep/d.ts', 'lib/e.ts', 'lib/f.ts', 'g.py'];
const folders = ['src', 'lib', 'src/deep', 'other'];
const word = (number: number) => `w${number % 4}`;

const changeOf: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path: fc.nat(6),
      bodies: fc.array(fc.nat(7), { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path: fc.nat(6), to: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('folder' as const), from: fc.nat(3), to: fc.nat(3) }),
  },
);

function sourceOf(path: string, bodies: readonly number[]): string {
  if (path.endsWith('.py'))
    return bodies.map((number) => `def p${number}(a):\n    return a + ${number}\n`).join('\n');
  const own = paths.indexOf(path);
  const other = (bodies[0] ?? 0) % 6;
  const up = '../'.repeat(path.split('/').length - 1) || './';
  const imported = `${up}${paths[other]!.replace('.ts', '.js')}`;
  return `import { f${word(bodies[0] ?? 0)}, make${other}, type Kept${other} } from '${imported}';
${bodies.map((number) => body(`f${word(number)}`, `f${word(number + 1)}`)).join('')}
export interface Kept${own} { part: ReturnType<typeof make${other}>; keep(): void }
export function make${own}() { return { ...make${other}(), run${own}() { return ${bodies.length}; } }; }
export function use${own}({ kept }: { kept: Kept${other} }, made: ReturnType<typeof make${other}>) {
  kept.keep();
  kept.part.run${own}();
  made.run${other}();
}
`;
}

function apply(from: ScratchRepository, change: Change): void {
  const exists = (path: string) => existsSync(join(from.folder, path));
  if (change.kind === 'write')
    from.write({ [paths[change.path]!]: sourceOf(paths[change.path]!, change.bodies) });
  else if (change.kind === 'remove') from.remove(paths[change.path]!);
  else if (change.kind === 'move') {
    if (exists(paths[change.path]!) && change.path !== change.to)
      from.move(paths[change.path]!, paths[change.to]!);
  } else {
    const [one, other] = [folders[change.from]!, folders[change.to]!];
    if (
      !`${other}/`.startsWith(`${one}/`) &&
      !`${one}/`.startsWith(`${other}/`) &&
      exists(one) &&
      !exists(other)
    )
      from.move(one, other);
  }
}

describe('Repository beyond its limits', () => {
  const functions = (word: string, count: number) =>
    Array.from({ length: count }, (_, n) => body(`${word}${n}`, 'Math.abs')).join('');
  const symbolsOf = (project: Indexed) =>
    [...project.ids.keys()].filter((key) => key.startsWith('symbol ')).length;
  const copies = (count: number, word = 'f') =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`copy${n}.ts`, functions(word, 10)]));

  it('lists the files that do not fit without their symbols and adds a warning', async () => {
    const from = repository();
    from.save({ ...copies(6), 'z.ts': functions('z', 3) });
    const project = await new Indexed(from, { ...PROJECT_BOUNDS, symbols: 25 }).index();
    expect(project.truncated).toBe(true);
    expect(project.warnings).toEqual([
      'The repository is larger than what is read of one (25 symbols, 512 MB of sources, 5 minutes): 4 files are listed without symbols and links',
    ]);
    expect(symbolsOf(project)).toBe(23);
    expect(project.id('copy5.ts')).toBeDefined();
    // Distinct contents come before further copies of the same content.
    expect(project.id('z.ts#z2')).toBeDefined();
  });

  it('is complete again after it has shrunk, and repeated runs give the same result', async () => {
    const bounds = { ...PROJECT_BOUNDS, symbols: 25 };
    const from = repository();
    from.save(copies(6));
    const often = await new Indexed(from, bounds).index();
    const changes: Record<string, string>[] = [
      { 'copy1.ts': functions('other', 12) },
      { 'a.ts': functions('a', 8) },
    ];
    for (const files of changes) {
      from.save(files);
      await often.index();
      const once = await new Indexed(from, bounds).index();
      expect(often.graph).toEqual(once.graph);
      expect([often.truncated, often.warnings]).toEqual([once.truncated, once.warnings]);
    }
    from.remove('copy1.ts', 'copy2.ts', 'copy3.ts', 'copy4.ts', 'copy5.ts').commit();
    await often.index();
    expect(often.truncated).toBe(false);
    expect(often.graph).toEqual((await new Indexed(from).index()).graph);
  });

  it('is limited at every commit of the history, not only at the last one', async () => {
    const bounds = { ...PROJECT_BOUNDS, symbols: 25, nodes: 60 };
    const from = repository();
    from.save({ 'a.ts': functions('a', 1) });
    const project = await new Indexed(from, bounds).index();
    for (const word of ['b', 'c', 'd', 'e']) from.save(copies(6, word));
    from.remove(...Object.keys(copies(6))).commit();
    await project.index();
    expect(project.truncated).toBe(false);
    expect(project.state.table.nodes.size).toBeLessThan(80);
    expect(project.graph).toEqual((await new Indexed(from).index()).graph);
  });

  it('limits the bytes of sources and the time', async () => {
    const from = repository();
    from.save({ 'a.ts': functions('a', 3), 'b.ts': functions('b', 3) });
    const few = await new Indexed(from, { ...PROJECT_BOUNDS, bytes: functions('a', 3).length + 10 }).index();
    expect([few.truncated, symbolsOf(few)]).toEqual([true, 3]);
    const late = await new Indexed(from, { ...PROJECT_BOUNDS, milliseconds: -1 }).index();
    expect([late.truncated, symbolsOf(late)]).toEqual([true, 0]);
  });

  it('links only up to its limit of steps', async () => {
    const from = repository();
    from.save({
      'a.ts': 'export function f() {}',
      'b.ts': "import { f } from './a.js';\nexport function g() { f(); }",
    });
    const project = await new Indexed(from, { ...PROJECT_BOUNDS, steps: 1 }).index();
    expect(project.truncated).toBe(true);
    expect(project.warnings.at(-1)).toMatch(/^Linking takes more steps than it may: 1 file lacks/);
    expect(project.id('b.ts#g')).toBeDefined();
  });

  it('limits the steps of one file with branching re-exports', async () => {
    const from = repository();
    const files = Object.fromEntries(
      Array.from({ length: 14 }, (_, level) =>
        Array.from({ length: 6 }, (_, n): [string, string] => [
          `l${level}_${n}.ts`,
          Array.from({ length: 6 }, (_, m) => `export * from './l${level + 1}_${m}.js';\n`).join(''),
        ]),
      ).flat(),
    );
    from.save({ ...files, 'use.ts': "import { gone } from './l0_0.js';\ngone();\n" });
    expect((await new Indexed(from).index()).truncated).toBe(true);
  });
});

describe('Incremental indexing', () => {
  it('gives the same result as a full index, however often a project is indexed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(changeOf, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.nat(63),
        async (history, looks) => {
          const from = repository();
          from.save({
            'a.ts': sourceOf('a.ts', [1, 2]),
            'src/b.ts': sourceOf('src/b.ts', [0, 3]),
            'lib/e.ts': sourceOf('lib/e.ts', [2]),
          });
          const always = await new Indexed(from).index();
          const seldom = await new Indexed(from).index();
          const origin = new Map([...always.ids].map(([key, id]) => [id, key]));
          const seldomOrigin = new Map([...seldom.ids].map(([key, id]) => [id, key]));
          for (const [number, changes] of history.entries()) {
            for (const change of changes) apply(from, change);
            from.commit();
            await always.index();
            if ((looks >> number) & 1) await seldom.forgetFacts().index();
          }
          await seldom.index();
          const full = await new Indexed(from).index();
          expect(always.graph).toEqual(full.graph);
          expect(seldom.graph).toEqual(full.graph);
          const lineage = (project: Indexed, first: Map<string, string>) =>
            [...project.ids].map(([key, id]) => `${key} was ${first.get(id) ?? 'not'}`).sort();
          expect(lineage(seldom, seldomOrigin)).toEqual(lineage(always, origin));
          from.dispose();
        },
      ),
      { numRuns: 5, endOnFailure: true },
    );
  });
});
