import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';
import type { ProgramLanguage } from '../languages/languages.js';
import type { FileFacts } from './facts.js';
import { cGrammar } from './grammar-c.js';
import { goGrammar, rustGrammar } from './grammar-go-rust.js';
import { csharpGrammar, javaGrammar, phpGrammar } from './grammar-java-csharp-php.js';
import { pythonGrammar, rubyGrammar } from './grammar-python-ruby.js';
import { SymbolCollector } from './symbol-collector.js';
import { type Grammar, SyntaxWalk } from './syntax-walk.js';
import { type SourceText, TokenIndex } from './tokens.js';

type GrammarLanguage = Exclude<ProgramLanguage, 'javascript'>;

const grammars: Record<GrammarLanguage, Grammar> = {
  python: pythonGrammar,
  go: goGrammar,
  rust: rustGrammar,
  java: javaGrammar,
  ruby: rubyGrammar,
  php: phpGrammar,
  c: cGrammar,
  cpp: cGrammar,
  c_sharp: csharpGrammar,
};

const parsers = new Map<GrammarLanguage, Promise<Parser>>();
const resolveFromHere = createRequire(import.meta.url).resolve;

async function loadParser(language: GrammarLanguage): Promise<Parser> {
  await Parser.init();
  const file = resolveFromHere(`@repomix/tree-sitter-wasms/out/tree-sitter-${language}.wasm`);
  const parser = new Parser();
  parser.setLanguage(await Language.load(file));
  return parser;
}

function parserFor(language: GrammarLanguage): Promise<Parser> {
  const parser = parsers.get(language) ?? loadParser(language);
  parsers.set(language, parser);
  return parser;
}

/** Facts of a file in one of the languages that have a tree-sitter grammar. */
export async function extractWithGrammar(language: GrammarLanguage, source: SourceText): Promise<FileFacts> {
  const parser = await parserFor(language);
  const tree = parser.parse(source.text);
  if (!tree) throw new Error('The parser gave up');
  try {
    const collector = new SymbolCollector();
    const walk = new SyntaxWalk(grammars[language], collector);
    walk.visit(tree.rootNode, { symbol: -1, owner: '', locals: null });
    const facts = collector.finish(new TokenIndex(source, walk.commentSpans));
    facts.uses = distinct(facts.uses);
    walk.addTypesTo(facts);
    return facts;
  } finally {
    tree.delete();
  }
}

function distinct(uses: [string, string][]): [string, string][] {
  const known = new Set<string>();
  return uses.filter(([qualifier, name]) => {
    const key = `${qualifier} ${name}`;
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}
