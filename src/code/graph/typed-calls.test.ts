import { describe, expect, it } from 'vitest';
import { linksOf } from '../../../tests/support/linked-sources.js';

const callsOf = async (sources: Record<string, string>): Promise<string[]> =>
  (await linksOf(sources))
    .filter((link) => link.includes(' call '))
    .map((link) => link.replace(' call ', ' → '));

describe('Typed TypeScript calls', () => {
  const repo =
    'export class Repo { pool = new Pool(); save() {} find(): Row { return new Row(); } }\nexport class Pool { drain() {} }\nexport class Row { show() {} }';

  it.each([
    ['a parameter', 'function run(repo: Repo) { repo.save(); }'],
    [
      'destructured options with a type of their own',
      'function run({ repo }: { repo: Repo }) { repo.save(); }',
    ],
    [
      'options under another name, with a default',
      'function run({ repo: store = new Repo() }: { repo: Repo }) { store.save(); }',
    ],
    [
      'options of an interface',
      'interface Deps { readonly repo: Repo }\nfunction run({ repo }: Deps) { repo.save(); }',
    ],
    [
      'options of an alias',
      'type Deps = { repo: Repo } & { log: string };\nfunction run(deps: Deps) { deps.repo.save(); }',
    ],
    [
      'an interface that extends another',
      'interface Base { repo: Repo }\ninterface Deps extends Base {}\nfunction run(deps: Deps) { deps.repo.save(); }',
    ],
    [
      'a local of the options',
      'interface Deps { repo?: Repo }\nfunction run(deps: Deps) { const { repo } = deps; repo!.save(); }',
    ],
    ['a nullable parameter', 'function run(repo: Repo | null) { repo?.save(); }'],
    ['items of a list', 'function run(repos: readonly Repo[]) { for (const repo of repos) repo.save(); }'],
    ['a callback over a list', 'function run(repos: Repo[]) { repos.forEach((repo) => repo.save()); }'],
    ['an asserted value', 'function run(given: unknown) { (given as Repo).save(); }'],
    ['an awaited promise', 'async function run(make: () => Promise<Repo>) { (await make()).save(); }'],
    ['an indexed type', "interface Deps { repo: Repo }\nfunction run(repo: Deps['repo']) { repo.save(); }"],
    ['a nested function', 'function run({ repo }: { repo: Repo }) { return { go: () => repo.save() }; }'],
    [
      'a field',
      'class Box { constructor(readonly repo: Repo) {} }\nfunction run(box: Box) { box.repo.save(); }',
    ],
    ['a getter', 'class Box { get repo(): Repo { throw 1; } }\nfunction run(box: Box) { box.repo.save(); }'],
  ])('resolves calls on %s', async (_, code) => {
    const calls = await callsOf({ 'a.ts': `import { Repo } from './repo.js';\n${code}`, 'repo.ts': repo });
    expect(calls).toContain('a.ts#run → repo.ts#Repo.save');
  });

  it('resolves calls on fields and on return values', async () => {
    const calls = await callsOf({
      'a.ts':
        "import type { Repo } from './repo.js';\nfunction run(repo: Repo) { repo.pool.drain(); repo.find().show(); }",
      'repo.ts': repo,
    });
    expect(calls).toContain('a.ts#run → repo.ts#Pool.drain');
    expect(calls).toContain('a.ts#run → repo.ts#Row.show');
  });

  it("follows a factory's return type, including spread members, to the function that defines the member", async () => {
    const calls = await callsOf({
      'parts.ts': 'export function createPart() { function own() {} return { own, inline() {} }; }',
      'service.ts': `import { createPart } from './parts.js';
        export type Service = ReturnType<typeof createService>;
        export function createService() { const part = createPart(); const service = { ...part, go: async () => 1, again: part.own }; return service; }`,
      'a.ts': `import type { Service } from './service.js';
        export function run({ service }: { service: Service }) { service.go(); }
        export function through(service: Service) { service.inline(); }
        export function renamed(service: Service) { service.again(); }
        export function unknown(service: Service) { service.missing(); }`,
    });
    expect(calls.filter((call) => call.startsWith('a.ts'))).toEqual([
      'a.ts#run → service.ts#createService',
      'a.ts#through → parts.ts#createPart',
      'a.ts#renamed → parts.ts#createPart',
    ]);
  });

  it('links a call on an interface to the interface and not to one of its implementations', async () => {
    const calls = await callsOf({
      'clock.ts':
        'export interface Clock { now(): Date }\nexport class Fast implements Clock { now() { return new Date(); } }\nexport class Slow implements Clock { now() { return new Date(); } }',
      'a.ts':
        "import type { Clock } from './clock.js';\nexport const run = ({ clock }: { clock: Clock }) => clock.now();",
    });
    expect(calls).toEqual(['a.ts#run → clock.ts#Clock']);
  });

  it('infers the type of constants from their initializer', async () => {
    const calls = await callsOf({
      'errors.ts':
        'export const notFound = maker(404);\nfunction maker(status: number) { return (detail: string) => ({ status, detail }); }',
      'store.ts':
        "import { Repo } from './repo.js';\nexport const shared = new Repo();\nexport const { pool } = shared;",
      'repo.ts': repo,
      'a.ts':
        "import { notFound } from './errors.js';\nimport * as store from './store.js';\nimport { pool } from './store.js';\nexport function run() { notFound('x'); store.shared.save(); pool.drain(); }",
    });
    expect(calls.filter((call) => call.startsWith('a.ts'))).toEqual([
      'a.ts#run → errors.ts#maker',
      'a.ts#run → repo.ts#Repo.save',
      'a.ts#run → repo.ts#Pool.drain',
    ]);
  });

  it.each([
    ['one of two classes', 'function run(x: Repo | Pool) { x.save(); }'],
    [
      'a variable that is assigned different types',
      'function run(a: Repo, b: any) { if (b) { const x = a; x.save(); } else { const x = b(); x.save(); } }',
    ],
    ['something unknown', 'function run(x: any, y: Missing, z) { x.save(); y.save(); z.save(); }'],
    ['a missing member', 'function run(x: Repo) { x.drain(); }'],
    [
      'a type that depends on itself',
      'type A = B; type B = A;\nfunction run(x: A) { x.save(); const y = y2; const y2 = y; y.save(); }',
    ],
    [
      'a property that overrides a spread',
      'const a = new Repo();\nfunction make() { return { ...a, save: unknown }; }\nfunction run() { make().save(); }',
    ],
    ['a local that hides an import', 'function run(Repo: any) { Repo.save(); new Repo().save(); }'],
  ])('adds no call for %s', async (_, code) => {
    const calls = await callsOf({
      'a.ts': `import { Repo, Pool } from './repo.js';\n${code}`,
      'repo.ts': repo,
    });
    expect(calls.filter((call) => call.startsWith('a.ts#run → repo.ts#'))).toEqual([]);
  });

  it('limits the work for types that double in size with each line', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `const v${n + 1} = { a: v${n}, b: v${n} };`);
    const calls = await callsOf({
      'a.ts': `import { Repo } from './repo.js';\nexport function run(v0: Repo) { ${lines.join('\n')}\n v2.a.b.save(); v60.a.save(); return v60; }`,
      'repo.ts': repo,
    });
    expect(calls.filter((call) => call.startsWith('a.ts'))).toEqual(['a.ts#run → repo.ts#Repo.save']);
  });
});

describe('Circular and very long type chains', () => {
  it('resolve without exceeding the step limit', async () => {
    const chain = Array.from(
      { length: 3000 },
      (_, n) => `export function f${n + 1}() { return { ...f${n}(), ...f${n}() }; }`,
    );
    const calls = await callsOf({
      'far.ts': `export function f0() { return { here() {} }; }\n${chain.join('\n')}`,
      'circle.ts': `export interface One extends Two {}\nexport interface Two extends One {}
        export class Cat extends Dog {}\nexport class Dog extends Cat {}
        export function make() { return { ...made(), ...made() }; }\nexport function made() { return { ...make() }; }`,
      'a.ts': `import { f5, f3000 } from './far.js';\nimport { make, type Cat, type One } from './circle.js';
        export function near() { f5().here(); }
        export function far() { f3000().here(); f3000().there(); }
        export function round(one: One, cat: Cat) { one.go(); cat.go(); cat.it.go(); make().go(); }`,
    });
    expect(calls.filter((call) => call.startsWith('a.ts'))).toEqual([
      'a.ts#near → far.ts#f0',
      'a.ts#near → far.ts#f5',
      'a.ts#far → far.ts#f3000',
      'a.ts#round → circle.ts#make',
    ]);
  });
});

describe('JSX elements', () => {
  it('count as calls of their component', async () => {
    const calls = await callsOf({
      'page.tsx':
        "import { Card } from './card';\nimport * as parts from './card';\nexport function Page({ Given }) { return <main><Card title=\"x\" /><parts.Line /><Given /><Missing /></main>; }",
      'card.tsx': 'export const Card = () => <div />;\nexport function Line() { return null; }',
    });
    expect(calls).toEqual(['page.tsx#Page → card.tsx#Card', 'page.tsx#Page → card.tsx#Line']);
  });
});

describe('Rust calls inside macros', () => {
  it('resolve plain calls, paths, self, its fields and typed parameters', async () => {
    const calls = await callsOf({
      'Cargo.toml': '[package]\nname = "app"\n',
      'src/main.rs': `mod store;
use store::{Db, open};
struct App { db: Db }
impl App {
  fn run(&self, given: &store::Db) {
    println!("{} {}", open(), self.help());
    assert_eq!(self.db.get(1), vec![Db::make(), given.close()]);
    log::info!("{}", format!("{}", store::deep(|x| helper(x))));
  }
  fn help(&self) {}
}
fn helper(x: u8) {}
macro_rules! never { ($x:expr) => { open() }; }
`,
      'src/store/mod.rs':
        'pub struct Db;\nimpl Db { pub fn make() -> Db { Db } pub fn get(&self, n: u8) {} pub fn close(&self) {} }\npub fn open() {}\npub fn deep() {}\n',
    });
    expect(calls.filter((call) => call.startsWith('src/main.rs'))).toEqual([
      'src/main.rs#App.run → src/store/mod.rs#open',
      'src/main.rs#App.run → src/main.rs#App.help',
      'src/main.rs#App.run → src/store/mod.rs#Db.get',
      'src/main.rs#App.run → src/store/mod.rs#Db.make',
      'src/main.rs#App.run → src/store/mod.rs#Db.close',
      'src/main.rs#App.run → src/store/mod.rs#deep',
      'src/main.rs#App.run → src/main.rs#helper',
    ]);
  });
});

describe('Go calls on typed parameters', () => {
  it('resolve types of the same package and of other packages, their fields, and return values', async () => {
    const calls = await callsOf({
      'go.mod': 'module example.com/app\n\ngo 1.22\n',
      'main.go': `package main

import (
	"example.com/app/store"
	other "example.com/app/cache"
)

type DB struct{}

func (d *DB) Close() {}

func own(db *DB) { db.Close() }
func foreign(db *store.DB, c other.Cache) { db.Close(); c.Drop() }
func field(app *App) { app.db.Close() }
func made() { db, err := store.Open(); db.Close(); _ = err }
func unknown(x interface{}, y *store.Missing, z func()) { x.Close(); y.Close(); z.Close() }
`,
      'app.go': 'package main\n\nimport "example.com/app/store"\n\ntype App struct{ db *store.DB }\n',
      'store/db.go':
        'package store\n\ntype DB struct{}\n\nfunc Open() (*DB, error) { return &DB{}, nil }\nfunc (d *DB) Close() {}\n',
      'cache/cache.go': 'package cache\n\ntype Cache struct{}\n\nfunc (c Cache) Drop() {}\n',
    });
    expect(calls.filter((call) => call.startsWith('main.go'))).toEqual([
      'main.go#own → main.go#DB.Close',
      'main.go#foreign → store/db.go#DB.Close',
      'main.go#foreign → cache/cache.go#Cache.Drop',
      'main.go#field → store/db.go#DB.Close',
      'main.go#made → store/db.go#Open',
      'main.go#made → store/db.go#DB.Close',
    ]);
  });
});

describe('Python calls on annotated attributes', () => {
  it('resolve class, instance and inherited attributes, parameters and return values', async () => {
    const calls = await callsOf({
      'models.py': 'class Repo:\n    def save(self):\n        pass\n\ndef make() -> "Repo":\n    pass\n',
      'app.py': `import models
from models import Repo, make
from typing import Optional

class Base:
    shared: Repo

class App(Base):
    declared: Repo
    dotted: "models.Repo"

    def early(self):
        self.late.save()

    def __init__(self, given: Optional[Repo], maybe: Repo | None, x):
        self.given = given
        self.late: models.Repo = x
        self.unknown = x

    def a(self):
        self.declared.save()

    def b(self):
        self.dotted.save()

    def c(self):
        self.given.save()

    def d(self):
        self.shared.save()

    def e(self):
        self.unknown.save()

def outside(app: App, repo: models.Repo):
    app.declared.save()
    repo.save()

def answered():
    repo = make()
    repo.save()
`,
    });
    const toSave = calls.filter((call) => call.endsWith('models.py#Repo.save'));
    expect(toSave.map((call) => call.split(' ')[0])).toEqual([
      'app.py#App.early',
      'app.py#App.a',
      'app.py#App.b',
      'app.py#App.c',
      'app.py#App.d',
      'app.py#outside',
      'app.py#answered',
    ]);
  });
});
