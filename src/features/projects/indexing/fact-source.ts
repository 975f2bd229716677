import { languageOf } from '../../../code/languages.js';
import { emptyFacts, type FileFacts } from '../../../code/parsing/facts.js';
import { type ParserPool, readFacts } from '../../../code/parsing/parser-pool.js';
import { BlobReader } from '../git/blob-reader.js';
import type { Mirror } from '../git/mirror.js';
import type { IndexBounds } from './bounds.js';

const MAX_PARSED_BYTES = 1024 * 1024;

/** Facts depend on the content and the dialect, never on the path. */
function factKey(path: string, blob: string): string | undefined {
  const language = languageOf(path);
  if (!language) return undefined;
  const dialect = language === 'javascript' ? (/(\.d)?\.\w+$/.exec(path)?.[0] ?? '') : `.${language}`;
  return `${blob}${dialect}`;
}

/** The last key of each path, because most files are looked up often with the same content. */
export type FactKeys = Map<string, { blob: string; key: string | undefined }>;

export type StoreFacts = (made: ReadonlyMap<string, string>) => Promise<void>;

const MANY = 500;

/** Facts by content. Missing ones are read from the mirror and parsed in worker threads. */
export class FactSource {
  #contents: BlobReader | undefined;
  #sizes: BlobReader | undefined;
  readonly #beyond = new Set<string>();
  #bytesLeft = 0;
  #made = new Map<string, string>();
  readonly #stored: string[] = [];

  constructor(
    readonly mirror: Mirror,
    readonly parsers: ParserPool,
    readonly known: Map<string, FileFacts>,
    /** Stores batches during a run; the remainder stays in `made`. */
    readonly store?: StoreFacts,
    readonly keys: FactKeys = new Map(),
  ) {}

  get made(): ReadonlyMap<string, string> {
    return this.#made;
  }

  get stored(): readonly string[] {
    return this.#stored;
  }

  close(): void {
    this.#contents?.close();
    this.#sizes?.close();
  }

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

  isUnread(path: string, blob: string): boolean {
    const key = this.keyOf(path, blob);
    return key !== undefined && (this.#beyond.has(key) || !this.known.has(key));
  }

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
    await Promise.all(Array.from({ length: this.parsers.capacity }, work));
    this.parsers.shrink(done);
  }

  /** Known contents count too, because the files left out must not depend on earlier runs. */
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
