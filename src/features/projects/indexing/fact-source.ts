import { BlobReader } from '../git/blob-reader.js';
import type { Mirror } from '../git/mirror.js';
import { emptyFacts, type FileFacts } from '../parsing/facts.js';
import { languageOf, MAX_PARSED_BYTES } from '../parsing/languages.js';
import { type ParserPool, readFacts } from '../parsing/parser-pool.js';
import type { IndexBounds } from './bounds.js';

/** What the facts of a file are stored under: its content and the way it is read, never its path. */
export function factKey(path: string, blob: string): string | undefined {
  const language = languageOf(path);
  if (!language) return undefined;
  const dialect = language === 'javascript' ? (/(\.d)?\.\w+$/.exec(path)?.[0] ?? '') : `.${language}`;
  return `${blob}${dialect}`;
}

/** Facts by content: known ones are handed out, the rest is read from the mirror and parsed in threads. */
export class FactSource {
  readonly #contents: BlobReader;
  readonly #sizes: BlobReader;
  /** Content for which there is no room. */
  readonly #beyond = new Set<string>();
  #bytesLeft = 0;
  /** Facts made in this pass, as JSON, to be stored. */
  readonly made = new Map<string, string>();

  constructor(
    mirror: Mirror,
    readonly parsers: ParserPool,
    readonly known: Map<string, FileFacts>,
  ) {
    this.#contents = new BlobReader(mirror);
    this.#sizes = new BlobReader(mirror, 'sizes');
  }

  close(): void {
    this.#contents.close();
    this.#sizes.close();
  }

  get(path: string, blob: string): FileFacts | undefined {
    const key = factKey(path, blob);
    return key === undefined || this.#beyond.has(key) ? undefined : this.known.get(key);
  }

  /** Whether a file would have facts, and was not read: there is too much of everything. */
  isUnread(path: string, blob: string): boolean {
    const key = factKey(path, blob);
    return key !== undefined && (this.#beyond.has(key) || !this.known.has(key));
  }

  /** Reads all of these that are not known yet, in their order, as far as the bounds reach. */
  async prepare(
    files: Iterable<{ path: string; blob: string; size?: number }>,
    onProgress: (done: number, total: number) => Promise<void>,
    { bounds, signal }: { bounds: IndexBounds; signal?: AbortSignal },
  ): Promise<void> {
    const until = performance.now() + bounds.milliseconds;
    const missing = this.#choose(files, bounds);
    const total = missing.length;
    let next = 0;
    let done = 0;
    const work = async () => {
      while (next < total && performance.now() < until) {
        signal?.throwIfAborted();
        await this.#make(...missing[next++]!);
        done++;
        if (done % 100 === 0 || done === total) await onProgress(done, total);
      }
    };
    await Promise.all(Array.from({ length: this.parsers.size * 3 }, work));
  }

  /** Content that is known counts too: what is left out must not depend on what was read before. */
  #choose(files: Iterable<{ path: string; blob: string; size?: number }>, bounds: IndexBounds) {
    const chosen = new Map<string, { path: string; blob: string }>();
    const seen = new Set<string>();
    this.#bytesLeft = bounds.bytes;
    for (const file of files) {
      const key = factKey(file.path, file.blob);
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      const size = file.size ?? 0;
      if (size > this.#bytesLeft) {
        this.#beyond.add(key);
        continue;
      }
      if (size <= MAX_PARSED_BYTES) this.#bytesLeft -= size;
      if (!this.known.has(key)) chosen.set(key, file);
    }
    return [...chosen];
  }

  async readText(blob: string): Promise<string | undefined> {
    const size = await this.#sizes.size(blob);
    if (size === undefined || size > MAX_PARSED_BYTES) return undefined;
    const bytes = await this.#contents.read(blob);
    return bytes && new TextDecoder('utf-8').decode(bytes);
  }

  /** Facts of a file at some commit, for looking back. */
  async at(commit: string, path: string): Promise<FileFacts | undefined> {
    const language = languageOf(path);
    const object = `${commit}:${path}`;
    const size = language ? await this.#sizes.size(object) : undefined;
    if (!language || size === undefined || size > MAX_PARSED_BYTES) return undefined;
    const bytes = await this.#contents.read(object);
    return bytes && readFacts(await this.parsers.parse(path, language, bytes));
  }

  async #make(key: string, { path, blob }: { path: string; blob: string }): Promise<void> {
    const size = await this.#sizes.size(blob);
    const bytes = size === undefined || size > MAX_PARSED_BYTES ? undefined : await this.#contents.read(blob);
    if (!bytes) {
      this.known.set(key, emptyFacts());
      return;
    }
    const json = await this.parsers.parse(path, languageOf(path)!, bytes);
    this.known.set(key, readFacts(json));
    this.made.set(key, json);
  }
}
