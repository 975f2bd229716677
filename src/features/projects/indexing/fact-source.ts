import { languageOf } from '../../../code/languages/languages.js';
import { emptyFacts, type FileFacts } from '../../../code/parsing/facts.js';
import { type ParserPool, readFacts } from '../../../code/parsing/parser-pool.js';
import { BlobReader } from '../git/blob-reader.js';
import type { Mirror } from '../git/mirror.js';
import type { IndexBounds } from './bounds.js';

const MAX_PARSED_BYTES = 1024 * 1024;

/** What the facts of a file are stored under: its content and the way it is read, never its path. */
function factKey(path: string, blob: string): string | undefined {
  const language = languageOf(path);
  if (!language) return undefined;
  const dialect = language === 'javascript' ? (/(\.d)?\.\w+$/.exec(path)?.[0] ?? '') : `.${language}`;
  return `${blob}${dialect}`;
}

/** By path, for the content asked about last: of most files one, asked about many times, and again in the next pass. */
export type FactKeys = Map<string, { blob: string; key: string | undefined }>;

export type StoreFacts = (made: ReadonlyMap<string, string>) => Promise<void>;

/** So many are worth a statement of their own. */
const MANY = 500;

/** Facts by content: known ones are handed out, the rest is read from the mirror and parsed in threads. */
export class FactSource {
  /** Started when there is something to read. */
  #contents: BlobReader | undefined;
  #sizes: BlobReader | undefined;
  /** Content for which there is no room. */
  readonly #beyond = new Set<string>();
  #bytesLeft = 0;
  /** Facts made in this pass, as JSON, that are still to be stored. */
  #made = new Map<string, string>();
  readonly #stored: string[] = [];

  constructor(
    readonly mirror: Mirror,
    readonly parsers: ParserPool,
    readonly known: Map<string, FileFacts>,
    /** Takes many at a time while others are still being read; what is not many is left in `made`. */
    readonly store?: StoreFacts,
    readonly keys: FactKeys = new Map(),
  ) {}

  get made(): ReadonlyMap<string, string> {
    return this.#made;
  }

  /** What `store` has taken. */
  get stored(): readonly string[] {
    return this.#stored;
  }

  close(): void {
    this.#contents?.close();
    this.#sizes?.close();
  }

  /** The bytes of an object that is not too large to be parsed; its size is asked for where it is not known. */
  async #read(object: string, known?: number): Promise<Buffer | undefined> {
    this.#sizes ??= known === undefined ? new BlobReader(this.mirror, 'sizes') : undefined;
    const size = known ?? (await this.#sizes!.size(object));
    if (size === undefined || size > MAX_PARSED_BYTES) return undefined;
    this.#contents ??= new BlobReader(this.mirror);
    return this.#contents.read(object);
  }

  keyOf(path: string, blob: string): string | undefined {
    const known = this.keys.get(path);
    if (known?.blob === blob) return known.key;
    const key = factKey(path, blob);
    this.keys.set(path, { blob, key });
    return key;
  }

  get(path: string, blob: string): FileFacts | undefined {
    const key = this.keyOf(path, blob);
    return key === undefined || this.#beyond.has(key) ? undefined : this.known.get(key);
  }

  /** Whether a file would have facts, and was not read: there is too much of everything. */
  isUnread(path: string, blob: string): boolean {
    const key = this.keyOf(path, blob);
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
        if (this.#made.size >= MANY) await this.#storeMade();
        if (done % 100 === 0 || done === total) await onProgress(done, total);
      }
    };
    await Promise.all(Array.from({ length: this.parsers.appetite }, work));
    this.parsers.shrink(done);
  }

  /** Content that is known counts too: what is left out must not depend on what was read before. */
  #choose(files: Iterable<{ path: string; blob: string; size?: number }>, bounds: IndexBounds) {
    const chosen = new Map<string, { path: string; blob: string; size?: number }>();
    const seen = new Set<string>();
    this.#bytesLeft = bounds.bytes;
    for (const file of files) {
      const key = this.keyOf(file.path, file.blob);
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
    const bytes = await this.#read(blob);
    return bytes && new TextDecoder('utf-8').decode(bytes);
  }

  /** Facts of a file at some commit, for looking back. */
  async at(commit: string, path: string): Promise<FileFacts | undefined> {
    const language = languageOf(path);
    if (!language) return undefined;
    const bytes = await this.#read(`${commit}:${path}`);
    return bytes && readFacts(await this.parsers.parse(path, language, bytes));
  }

  async #make(
    key: string,
    { path, blob, size }: { path: string; blob: string; size?: number },
  ): Promise<void> {
    const bytes = await this.#read(blob, size);
    if (!bytes) {
      this.known.set(key, emptyFacts());
      return;
    }
    const json = await this.parsers.parse(path, languageOf(path)!, bytes);
    this.known.set(key, readFacts(json));
    this.#made.set(key, json);
  }

  async #storeMade(): Promise<void> {
    if (!this.store) return;
    const made = this.#made;
    this.#made = new Map();
    this.#stored.push(...made.keys());
    await this.store(made);
  }
}
