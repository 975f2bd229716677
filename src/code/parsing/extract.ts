import { createRequire } from 'node:module';
import { Parser, Language as TreeSitterLanguage } from 'web-tree-sitter';
import { isBinary, isMarkedGenerated, type Language, type ProgramLanguage } from '../languages.js';
import { emptyFacts, type FileFacts } from './facts.js';
import { cGrammar } from './grammar-c.js';
import { goGrammar, rustGrammar } from './grammar-go-rust.js';
import { csharpGrammar, javaGrammar, phpGrammar } from './grammar-java-csharp-php.js';
import { pythonGrammar, rubyGrammar } from './grammar-python-ruby.js';
import { extractJavaScript } from './javascript.js';
import { type Grammar, SyntaxWalk } from './syntax-walk.js';
import { readSource, type SourceText, SymbolCollector, TokenIndex } from './tokens.js';

const MAX_NESTING = 5000;
const MAX_UNBROKEN_TOKENS = 10_000;

/**
 * Extracts the facts of one blob. Binary, generated or too deeply nested files yield no facts and no error.
 */
export async function extractFacts(path: string, language: Language, bytes: Uint8Array): Promise<FileFacts> {
  if (isBinary(bytes)) return emptyFacts();
  const source = readSource(bytes);
  if (language === 'manifest') return { ...emptyFacts(), manifest: source.text };
  if (isMarkedGenerated(source.text) || isTooDeep(bytes)) return emptyFacts();
  try {
    return language === 'javascript'
      ? extractJavaScript(path, source)
      : await extractWithGrammar(language, source);
  } catch {
    return emptyFacts();
  }
}

/** Byte classes for measuring the nesting depth. Bytes beyond ASCII belong to words. */
const [BLANK, SIGN, WORD, OPENS, OPENS_ANEW, CLOSES, CLOSES_ANEW, PARTS] = [0, 1, 2, 3, 4, 5, 6, 7];
const meanings = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (byte > 0x7f || /[0-9A-Za-z]/.test(character)) return WORD;
  if (character === '{') return OPENS_ANEW;
  if (character === '}') return CLOSES_ANEW;
  if ('(['.includes(character)) return OPENS;
  if (')]'.includes(character)) return CLOSES;
  if (';,'.includes(character)) return PARTS;
  return byte > 0x20 ? SIGN : BLANK;
});

const isOpening = meanings.map((meaning) => Number(meaning === OPENS || meaning === OPENS_ANEW));

/**
 * Parsers recurse in native code, where a stack overflow ends the process, so deeply nested files are refused
 * before parsing.
 */
function isTooDeep(source: Uint8Array): boolean {
  if (source.length <= MAX_UNBROKEN_TOKENS && !opensOften(source)) return false;
  let depth = 0;
  let unbroken = 0;
  let before = BLANK;
  for (let index = 0; index < source.length; index++) {
    const meaning = meanings[source[index]!]!;
    if (meaning > WORD) {
      if (meaning === OPENS || meaning === OPENS_ANEW) {
        if (++depth > MAX_NESTING) return true;
      } else if (meaning !== PARTS && depth > 0) depth--;
      if (meaning !== OPENS && meaning !== CLOSES) unbroken = 0;
    }
    if (meaning !== BLANK && !(meaning === WORD && before === WORD) && ++unbroken > MAX_UNBROKEN_TOKENS)
      return true;
    before = meaning;
  }
  return false;
}

/** A cheap test that passes most files. */
function opensOften(source: Uint8Array): boolean {
  let opens = 0;
  for (let index = 0; index < source.length; index++) opens += isOpening[source[index]!]!;
  return opens > MAX_NESTING;
}

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
  parser.setLanguage(await TreeSitterLanguage.load(file));
  return parser;
}

function parserFor(language: GrammarLanguage): Promise<Parser> {
  const parser = parsers.get(language) ?? loadParser(language);
  parsers.set(language, parser);
  return parser;
}

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
