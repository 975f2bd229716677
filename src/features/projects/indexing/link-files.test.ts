import { describe, expect, it } from 'vitest';
import { advance } from '../../../code/graph/advance.js';
import { languageOf } from '../../../code/languages.js';
import { extractFacts } from '../../../code/parsing/extract.js';
import type { FileFacts } from '../../../code/parsing/facts.js';
import { PROJECT_BOUNDS } from './bounds.js';
import { unpackEdges } from './code-graph.js';
import { makeState } from './index-state.js';
import { linkFiles } from './link-files.js';

type Sources = Readonly<Record<string, string>>;

/** A code base that is linked again after each change; the content serves as the blob id. */
class Linked {
  readonly state = makeState(0, [], new Map(), new Map());
  readonly #facts = new Map<string, FileFacts>();
  #before: Sources = {};
  #steps = 0;
  /** Number of files that the last call of `look` linked. */
  count = 0;

  async look(sources: Sources, steps = PROJECT_BOUNDS.steps): Promise<this> {
    const changed = Object.keys(sources).filter((path) => sources[path] !== this.#before[path]);
    const removed = Object.keys(this.#before).filter((path) => sources[path] === undefined);
    for (const path of changed) {
      const bytes = new TextEncoder().encode(sources[path]);
      this.#facts.set(`${path} ${sources[path]}`, await extractFacts(path, languageOf(path)!, bytes));
    }
    const get = (path: string, blob: string) => this.#facts.get(`${path} ${blob}`);
    const files = changed.map((path) => ({
      path,
      blob: sources[path]!,
      symbols: get(path, sources[path]!)!.symbols,
    }));
    const number = ++this.#steps;
    advance(this.state.table, { files, removed, renames: new Map(), commit: `c${number}`, number });
    this.#before = sources;
    const ordered = Object.keys(sources).sort();
    await linkFiles({
      state: this.state,
      report: async (_phase, _done, total) => {
        this.count = total;
      },
      files: ordered.map((path) => ({ path, blob: sources[path]!, size: 0 })),
      source: { get },
      bounds: { ...PROJECT_BOUNDS, steps },
      touched: new Set([...changed, ...removed]),
    });
    return this;
  }

  get edges(): string[] {
    const { nodes } = this.state.table;
    return [...this.state.edges.values()]
      .flatMap((packed) => [...unpackEdges(packed)])
      .map(({ source, kind, target }) => `${nodes.get(source)!.path} ${kind} ${nodes.get(target)!.path}`)
      .sort();
  }
}

const edgesOf = async (sources: Sources) => (await new Linked().look(sources)).edges;

const apart = { 'apart/x.ts': 'export function x() { y(); }\nfunction y() {}\n' };

/** Per language: files that read each other, and changes to some of them. */
const worlds: Record<string, { before: Sources; after: Sources }> = {
  'through a barrel': {
    before: {
      'a.ts': "import { f } from './index.js';\nexport function a() { f(); }\n",
      'b.ts': 'export function f() {}\n',
      'index.ts': "export * from './b.js';\n",
    },
    after: { 'b.ts': 'export function g() {}\n' },
  },
  'through a type of a third file': {
    before: {
      'a.ts': "import { make } from './b.js';\nexport function a() { make().part.run(); }\n",
      'b.ts':
        "import type { Part } from './c.js';\nexport function make(): { part: Part } { return null!; }\n",
      'c.ts': 'export class Part { run() {} }\n',
      'd.ts': "import { make } from './b.js';\nexport function d() { make().part.run(); }\n",
    },
    after: { 'c.ts': 'export class Part { walk() {} }\n' },
  },
  'in a cycle of factories': {
    before: {
      'a.ts':
        "import { makeB } from './b.js';\nexport function makeA() { return { ...makeB(), runA() {} }; }\nexport function a(made: ReturnType<typeof makeB>) { made.runA(); }\n",
      'b.ts':
        "import { makeA } from './a.js';\nexport function makeB() { return { ...makeA(), runB() {} }; }\n",
      'c.ts': "import { makeA } from './a.js';\n",
    },
    after: {
      'c.ts':
        "import { makeA } from './a.js';\nexport function c(made: ReturnType<typeof makeA>) { made.runB(); }\n",
    },
  },
  'through a Python wildcard import': {
    before: { 'a.py': 'from b import *\n\ndef a():\n    f()\n', 'b.py': 'def f():\n    pass\n' },
    after: { 'b.py': 'def g():\n    pass\n' },
  },
  'in a Go package': {
    before: {
      'p/a.go': 'package p\n\nfunc A() { F() }\n',
      'p/b.go': 'package p\n\nfunc F() {}\n',
    },
    after: { 'p/b.go': 'package p\n\nfunc G() {}\n' },
  },
  'in a Go package that loses a file': {
    before: {
      'p/a.go': 'package p\n\nfunc A() { F() }\n',
      'p/b.go': 'package p\n\nfunc F() {}\n',
    },
    after: { 'p/b.go': 'package q\n\nfunc F() {}\n' },
  },
  'in a Go package that gains a file': {
    before: {
      'p/a.go': 'package p\n\nfunc A() { F() }\n',
      'p/b.go': 'package q\n\nfunc F() {}\n',
      'p/c.go': 'package p\n\nfunc C() { F() }\n',
    },
    after: { 'p/b.go': 'package p\n\nfunc F() {}\n' },
  },
  'in a Java package': {
    before: {
      'A.java': 'package p;\nclass A { void a() { B.f(); } }\n',
      'B.java': 'package p;\nclass B { static void f() {} }\n',
    },
    after: { 'B.java': 'package p;\nclass B { static void g() {} }\n' },
  },
  'with a second class of the same name': {
    before: {
      'A.java': 'package p;\nclass A { void a() { B.f(); } }\n',
      'B.java': 'package p;\nclass B { static void f() {} }\n',
      'C.java': 'package p;\nclass C {}\n',
    },
    after: { 'C.java': 'package p;\nclass B { static void f() {} }\n' },
  },
  'through a C header': {
    before: {
      'a.c': '#include "b.h"\nvoid a(void) { f(); }\n',
      'b.h': 'void f(void);\n',
      'impl.c': '#include "b.h"\nvoid f(void) {}\n',
    },
    after: { 'impl.c': '#include "b.h"\nvoid g(void) {}\n' },
  },
  'through a Ruby constant': {
    before: { 'a.rb': 'def a\n  Thing.run\nend\n', 'b.rb': 'class Thing\n  def self.run\n  end\nend\n' },
    after: { 'b.rb': 'class Other\n  def self.run\n  end\nend\n' },
  },
  'through a Rust module': {
    before: { 'src/lib.rs': 'mod b;\nfn a() { b::f(); }\n', 'src/b.rs': 'pub fn f() {}\n' },
    after: { 'src/b.rs': 'pub fn g() {}\n' },
  },
  'with a new file': {
    before: { 'a.ts': "import { f } from './b.js';\nexport function a() { f(); }\n" },
    after: { 'b.ts': 'export function f() {}\n' },
  },
  'with a changed manifest': {
    before: {
      'a.ts': "import { f } from '~/b';\nexport function a() { f(); }\n",
      'c.ts': "import { f } from '~/b';\nexport function c() { f(); }\n",
      'one/b.ts': 'export function f() {}\n',
      'two/b.ts': 'export function f() {}\n',
      'tsconfig.json': '{"compilerOptions":{"paths":{"~/*":["./one/*"]}}}',
    },
    after: { 'tsconfig.json': '{"compilerOptions":{"paths":{"~/*":["./two/*"]}}}' },
  },
};

describe('Incremental linking', () => {
  it.each(Object.entries(worlds))(
    'gives the same result as linking everything: %s',
    async (_name, { before, after }) => {
      const [old, fresh] = [
        { ...before, ...apart },
        { ...before, ...after, ...apart },
      ];
      expect(await edgesOf(fresh), 'something changes').not.toEqual(await edgesOf(old));
      const linked = await new Linked().look(old);
      expect((await linked.look(fresh)).edges).toEqual(await edgesOf(fresh));
      expect((await linked.look(old)).edges, 'and back').toEqual(await edgesOf(old));
    },
  );

  it('links only the changed file and the files that read it', async () => {
    const { before, after } = worlds['through a barrel']!;
    const linked = await new Linked().look({ ...before, ...apart });
    expect(linked.count).toBe(4);
    expect((await linked.look({ ...before, ...apart })).count).toBe(0);
    expect((await linked.look({ ...before, ...after, ...apart })).count, 'b.ts and a.ts').toBe(2);
    const other = { 'apart/x.ts': 'export function x() {}\n' };
    expect((await linked.look({ ...before, ...after, ...other })).count).toBe(1);
  });

  it('links everything again when the total step limit is no longer sufficient', async () => {
    const callsOf = (names: string) =>
      `${names.replace(/\w/g, (name) => `export function ${name}() { f(); }\n`)}function f() {}\n`;
    const before = { 'a.ts': callsOf('a'), 'z.ts': callsOf('x y') };
    const longer = { ...before, 'a.ts': callsOf('a b') };
    const { state } = await new Linked().look(before);
    const enough = state.links!.files.reduce((sum, { steps }) => sum + steps, 0);
    const linked = await (await new Linked().look(before, enough)).look(longer, enough);
    const all = await new Linked().look(longer, enough);
    expect(all.edges, 'the last file lacks some').not.toEqual(await edgesOf(longer));
    expect(linked.edges).toEqual(all.edges);
    expect(linked.state.links, 'the next one begins anew').toBeUndefined();
  });
});
