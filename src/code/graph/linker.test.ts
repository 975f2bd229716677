import { describe, expect, it } from 'vitest';
import { linksOf } from '../../../tests/support/linked-sources.js';

describe('Linking TypeScript and JavaScript', () => {
  it('adds an import edge to the file and a symbol_import edge to each symbol for a named import', async () => {
    const links = await linksOf({
      'a.ts': "import { f, type T } from './b.js';\nf();",
      'b.ts': 'export function f() {}\nexport interface T {}\n',
    });
    expect(links).toEqual([
      'a.ts import b.ts',
      'a.ts symbol_import b.ts#f',
      'a.ts symbol_import b.ts#T',
      'a.ts call b.ts#f',
    ]);
  });

  it('follows re-exports to the original symbol', async () => {
    const links = await linksOf({
      'a.ts': "import { f, default as g } from './lib';\nexport function use() { f(); g(); }",
      'lib/index.ts': "export * from './one';\nexport { two as default } from './two';",
      'lib/one.ts': 'export const f = () => 1;',
      'lib/two.ts': 'export function two() {}',
    });
    expect(links).toContain('a.ts import lib/index.ts');
    expect(links).toContain('a.ts symbol_import lib/one.ts#f');
    expect(links).toContain('a.ts#use call lib/one.ts#f');
    expect(links).toContain('a.ts#use call lib/two.ts#two');
  });

  it('resolves tsconfig paths, package exports, package imports, index files and workspaces', async () => {
    const links = await linksOf({
      'tsconfig.json': '{ // paths\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] }, } }',
      'package.json':
        '{"name": "root", "workspaces": ["packages/*"], "imports": {"#kernel/*": "./src/kernel/*.js"}}',
      'src/a.ts':
        "import '@/b';\nimport '@org/kit';\nimport '@org/kit/sub/x';\nimport '#kernel/clock';\nimport './folder';\nimport 'src/c';",
      'src/b.tsx': '',
      'src/c.ts': '',
      'src/kernel/clock.ts': '',
      'src/folder/index.ts': '',
      'packages/kit/package.json':
        '{"name": "@org/kit", "exports": {".": {"import": "./dist/index.js"}, "./sub/*": "./src/sub/*.ts"}}',
      'packages/kit/src/index.ts': '',
      'packages/kit/src/sub/x.ts': '',
    });
    expect(links).toEqual([
      'src/a.ts import src/b.tsx',
      'src/a.ts import packages/kit/src/index.ts',
      'src/a.ts import packages/kit/src/sub/x.ts',
      'src/a.ts import src/kernel/clock.ts',
      'src/a.ts import src/folder/index.ts',
      'src/a.ts import src/c.ts',
    ]);
  });

  it('resolves calls through imports, the same file and the receiver', async () => {
    const links = await linksOf({
      'a.ts': `import { Repo } from './repo';
        import * as tools from './tools';
        export class Base { shared() {} }
        export class Service extends Base {
          constructor(private readonly repo: Repo) { super(); }
          run() { this.repo.save(); this.help(); this.shared(); tools.log(); const r = new Repo(); r.load(); Repo.make(); }
          help() {}
        }`,
      'repo.ts': 'export class Repo { save() {} load() {} static make() {} }',
      'tools.ts': 'export function log() {}',
    });
    const calls = links.filter((link) => link.startsWith('a.ts#Service.run call'));
    expect(calls.map((call) => call.split(' ')[2])).toEqual([
      'repo.ts#Repo.save',
      'a.ts#Service.help',
      'a.ts#Base.shared',
      'tools.ts#log',
      'repo.ts#Repo',
      'repo.ts#Repo.load',
      'repo.ts#Repo.make',
    ]);
  });

  it('adds no edges for ambiguous, local or unknown names', async () => {
    const links = await linksOf({
      'a.ts': "export * from './one';\nexport * from './two';",
      'one.ts': 'export function f() {}',
      'two.ts': 'export function f() {}',
      'b.ts':
        "import { f } from './a';\nexport function g(other) { f(); other.save(); const h = () => 1; h(); save(); }\nexport function h() {}",
      'c.ts': 'export class Repo { save() {} }',
    });
    expect(links.filter((link) => link.includes(' call '))).toEqual([]);
  });

  it('links CommonJS modules', async () => {
    const links = await linksOf({
      'a.js':
        "const { f } = require('./b');\nconst b = require('./b');\nfunction g() { f(); b.f(); }\nmodule.exports = { g };",
      'b.js': 'exports.f = function () {};',
    });
    expect(links).toEqual(['a.js import b.js', 'a.js symbol_import b.js#f', 'a.js#g call b.js#f']);
  });
});

describe('Linking other languages', () => {
  it('links Python imports and calls', async () => {
    const links = await linksOf({
      'pkg/__init__.py': 'from .core import Base\n',
      'pkg/core.py': 'class Base:\n    def hello(self):\n        pass\n\ndef helper():\n    pass\n',
      'app.py':
        'from pkg import Base\nfrom pkg.core import helper as h\nimport pkg.core\n\nclass App(Base):\n    def run(self):\n        h()\n        self.hello()\n        pkg.core.helper()\n        Base().hello()\n',
    });
    expect(links).toContain('app.py import pkg/__init__.py');
    expect(links).toContain('app.py symbol_import pkg/core.py#Base');
    expect(links).toContain('app.py symbol_import pkg/core.py#helper');
    expect(links).toContain('app.py#App.run call pkg/core.py#helper');
    expect(links).toContain('app.py#App.run call pkg/core.py#Base.hello');
  });

  it('links Go packages and calls', async () => {
    const links = await linksOf({
      'go.mod': 'module example.com/app\n\ngo 1.22\n',
      'main.go':
        'package main\n\nimport "example.com/app/store"\n\nfunc main() {\n\ts := store.Open()\n\tvar db store.DB\n\tdb.Close()\n\thelp()\n\t_ = s\n}\n',
      'help.go': 'package main\n\nfunc help() {}\n',
      'store/db.go': 'package store\n\ntype DB struct{}\n\nfunc Open() *DB { return &DB{} }\n',
      'store/close.go': 'package store\n\nfunc (d *DB) Close() { d.flush() }\n\nfunc (d *DB) flush() {}\n',
    });
    expect(links).toContain('main.go import store/db.go');
    expect(links).toContain('main.go symbol_import store/db.go#Open');
    expect(links).toContain('main.go#main call store/db.go#Open');
    expect(links).toContain('main.go#main call help.go#help');
    expect(links).toContain('store/close.go#DB.Close call store/close.go#DB.flush');
  });

  it('links Rust modules and calls', async () => {
    const links = await linksOf({
      'Cargo.toml': '[package]\nname = "app"\n',
      'src/main.rs':
        'mod store;\nuse store::Db;\nuse crate::store::open;\nfn main() { let d = Db::new(); d.close(); open(); store::open(); }\n',
      'src/store/mod.rs':
        'mod inner;\npub use self::inner::open;\npub struct Db;\nimpl Db { pub fn new() -> Db { Db } pub fn close(&self) {} }\n',
      'src/store/inner.rs': 'use super::Db;\npub fn open() {}\n',
    });
    expect(links).toContain('src/main.rs import src/store/mod.rs');
    expect(links).toContain('src/main.rs symbol_import src/store/mod.rs#Db');
    expect(links).toContain('src/main.rs symbol_import src/store/inner.rs#open');
    expect(links).toContain('src/main.rs#main call src/store/mod.rs#Db.close');
    expect(links).toContain('src/main.rs#main call src/store/inner.rs#open');
    expect(links).toContain('src/store/inner.rs symbol_import src/store/mod.rs#Db');
  });

  it('links Java imports and calls', async () => {
    const links = await linksOf({
      'src/a/App.java':
        'package a;\nimport b.Repo;\nimport static b.Tools.log;\nclass App { private Repo repo; void run() { repo.save(); log(); help(); new Repo(); Other.go(); } void help() {} }',
      'src/a/Other.java': 'package a;\nclass Other { static void go() {} }',
      'src/b/Repo.java': 'package b;\npublic class Repo { public void save() {} }',
      'src/b/Tools.java': 'package b;\npublic class Tools { public static void log() {} }',
    });
    expect(links).toContain('src/a/App.java import src/b/Repo.java');
    expect(links).toContain('src/a/App.java symbol_import src/b/Repo.java#Repo');
    expect(links).toContain('src/a/App.java#App.run call src/b/Repo.java#Repo.save');
    expect(links).toContain('src/a/App.java#App.run call src/b/Tools.java#Tools.log');
    expect(links).toContain('src/a/App.java#App.run call src/a/App.java#App.help');
    expect(links).toContain('src/a/App.java#App.run call src/a/Other.java#Other.go');
  });

  it('links Ruby files and calls', async () => {
    const links = await linksOf({
      'app.rb':
        "require_relative 'lib/repo'\nclass App\n  def run\n    help\n    size = 1\n    size\n    Store::Repo.new.save\n    Store::Repo.build\n  end\n  def help(size = 1)\n    size\n  end\n  def size\n  end\nend\n",
      'lib/repo.rb':
        'module Store\n  class Repo\n    def save\n    end\n    def self.build\n    end\n  end\nend\n',
    });
    expect(links).toContain('app.rb import lib/repo.rb');
    expect(links).toContain('app.rb#App.run call app.rb#App.help');
    expect(links.filter((link) => link.endsWith('App.size'))).toEqual([]);
    expect(links).toContain('app.rb#App.run call lib/repo.rb#Repo.save');
    expect(links).toContain('app.rb#App.run call lib/repo.rb#Repo.build');
  });

  it('links PHP namespaces and calls', async () => {
    const links = await linksOf({
      'src/App.php':
        '<?php\nnamespace App;\nuse App\\Store\\Repo;\nclass App { public function __construct(private Repo $repo) {} function run(Repo $r) { $r->save(); $this->repo->save(); Repo::make(); $this->help(); } function help() {} }',
      'src/Store/Repo.php':
        '<?php\nnamespace App\\Store;\nclass Repo { function save() {} static function make() {} }',
    });
    expect(links).toContain('src/App.php import src/Store/Repo.php');
    expect(links).toContain('src/App.php symbol_import src/Store/Repo.php#Repo');
    expect(links).toContain('src/App.php#App.run call src/Store/Repo.php#Repo.save');
    expect(links).toContain('src/App.php#App.run call src/Store/Repo.php#Repo.make');
    expect(links).toContain('src/App.php#App.run call src/App.php#App.help');
  });

  it('links C and C++ headers and calls', async () => {
    const links = await linksOf({
      'main.c': '#include "util.h"\nint main(void) { return add(1); }\n',
      'util.h': 'int add(int a);\n',
      'util.c': '#include "util.h"\nint add(int a) { return a; }\n',
      'app.cpp': '#include "shape.hpp"\nvoid draw() { Shape s; s.area(); }\n',
      'shape.hpp': 'namespace geo { class Shape { public: int area(); int side() { return 1; } }; }\n',
      'shape.cpp': '#include "shape.hpp"\nint geo::Shape::area() { return side(); }\n',
    });
    expect(links).toContain('main.c import util.h');
    expect(links).toContain('main.c#main call util.c#add');
    expect(links).toContain('app.cpp#draw call shape.cpp#Shape.area');
    expect(links).toContain('shape.cpp#Shape.area call shape.hpp#Shape.side');
  });

  it('finds a C function in another source file that includes the same header', async () => {
    const links = await linksOf({
      'main.c': '#include "math.h"\nint main(void) { return add(1) + other(); }\n',
      'math.h': 'int add(int a);\n',
      'adding.c': '#include "math.h"\nint add(int a) { return a; }\n',
      'apart.c': 'int other(void) { return 1; }\n',
    });
    expect(links).toContain('main.c#main call adding.c#add');
    expect(links).not.toContain('main.c#main call apart.c#other');
  });

  it('links C# namespaces and calls', async () => {
    const links = await linksOf({
      'App.cs':
        'using Shop.Store;\nnamespace Shop;\nclass App { private Repo repo; void Run() { repo.Save(); Help(); new Repo(); } void Help() {} }',
      'Store/Repo.cs': 'namespace Shop.Store { public class Repo { public void Save() {} } }',
    });
    expect(links).toContain('App.cs import Store/Repo.cs');
    expect(links).toContain('App.cs symbol_import Store/Repo.cs#Repo');
    expect(links).toContain('App.cs#App.Run call Store/Repo.cs#Repo.Save');
    expect(links).toContain('App.cs#App.Run call App.cs#App.Help');
  });
});
