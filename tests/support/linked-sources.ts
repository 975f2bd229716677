import { fileOf, type Ref, type SourceFile, symbolOf } from '../../src/code/graph/code-base.js';
import { linkFiles } from '../../src/code/graph/linker.js';
import { languageOf } from '../../src/code/languages.js';
import { extractFacts } from '../../src/code/parsing/extract.js';

/** Returns the links between sources as `a.ts#f call b.ts#g`. */
export async function linksOf(sources: Record<string, string>): Promise<string[]> {
  const files: SourceFile[] = [];
  for (const [path, text] of Object.entries(sources)) {
    const language = languageOf(path);
    const facts = language && (await extractFacts(path, language, Buffer.from(text)));
    files.push({ path, language, facts });
  }
  const { code, links } = linkFiles(files);
  const say = (ref: Ref) => code.path(fileOf(ref)) + (symbolOf(ref) < 0 ? '' : `#${code.nameOf(ref)}`);
  return links.flat().map((link) => `${say(link.source)} ${link.kind} ${say(link.target)}`);
}
