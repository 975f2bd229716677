import type { Log } from '../../kernel/log.js';
import { dotProduct } from '../../platform/encoder/cosine.js';
import { type Embedder, EmbeddingUnavailable, NO_MODEL } from '../../platform/encoder/embedder.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import type { AgentOperation } from './operations.js';
import { describeArguments } from './operations.js';

const MOST_FOUND = 20;
/** Embedding a question takes a few milliseconds once the encoder runs. */
const QUESTION_MS = 2_000;
const PREPARE_MS = 120_000;
/** After a failure, questions are answered by words alone for this long. */
const REST_MS = 60_000;
/** Minimum similarity of an operation that shares no word with the question. */
const LEAST_COSINE = 0.25;
const WORDS_WEIGHT = 0.5;
const PART_OF_WORD = 0.7;
const DESCRIBED = 0.6;
const TAKEN = 0.5;
const SHORTEST_BEGINNING = 4;

type Meaning = (operation: AgentOperation) => number;

/** Finds operations by words, and by meaning too once all of them are embedded. */
export function createOperationFinder({ embedder, log }: { embedder: Embedder; log: Log }) {
  let vectors: ReadonlyMap<string, Float32Array> | undefined;
  let isPreparing = false;
  let restingUntil = 0;

  async function prepare(operations: readonly AgentOperation[]): Promise<void> {
    const texts = operations.map(textOf);
    const made = await embedder.embed(texts, AbortSignal.timeout(PREPARE_MS), 'later');
    vectors = new Map(operations.map(({ name }, at) => [name, made[at]!]));
  }

  async function prepareInBackground(operations: readonly AgentOperation[]): Promise<void> {
    isPreparing = true;
    await prepare(operations).catch(rest);
    isPreparing = false;
  }

  function rest(error: unknown): undefined {
    if (!(error instanceof EmbeddingUnavailable)) log.error({ err: error }, 'Operations have no vectors');
    else log.warn({ err: error }, 'Operations are found by words alone');
    restingUntil = performance.now() + REST_MS;
  }

  async function readMeaning(all: readonly AgentOperation[], question: string): Promise<Meaning | undefined> {
    if (embedder.modelId === NO_MODEL || performance.now() < restingUntil) return undefined;
    if (!vectors) {
      if (!isPreparing) void prepareInBackground(all);
      return undefined;
    }
    const known = vectors;
    const asked = await embedder.embed([question], AbortSignal.timeout(QUESTION_MS)).catch(rest);
    if (!asked) return undefined;
    return ({ name }) => {
      const vector = known.get(name);
      return vector?.length === asked[0]!.length ? dotProduct(asked[0]!, vector) : 0;
    };
  }

  return {
    /**
     * `all`: all operations, so that they are embedded once; `seen`: the operations that the caller may see.
     */
    async find(
      all: readonly AgentOperation[],
      seen: readonly AgentOperation[],
      question: string,
    ): Promise<string> {
      const text = question.slice(0, 1000);
      const meaning = await readMeaning(all, text);
      const sharedWords = wordsJudge(seen, text);
      const found = seen
        .map((operation) => ({
          operation,
          words: sharedWords(operation),
          cosine: meaning?.(operation) ?? 0,
        }))
        .filter(({ words, cosine }) => words > 0 || cosine >= LEAST_COSINE)
        .sort((a, b) => scoreOf(b) - scoreOf(a))
        .slice(0, MOST_FOUND);
      if (found.length === 0) return 'No operation has these words; try others.';
      return writeYaml(
        found.map(({ operation: { name, route, effect } }) => ({ name, effect, does: route.summary })),
      );
    },
  };
}

const scoreOf = ({ words, cosine }: { words: number; cosine: number }) => WORDS_WEIGHT * words + cosine;

const textOf = (operation: AgentOperation): string =>
  `${operation.name.replaceAll('_', ' ')}: ${operation.route.summary}`;

/** The share of the question's words that an operation contains, weighted by rarity. */
function wordsJudge(operations: readonly AgentOperation[], question: string): Meaning {
  const asked = [...new Set(splitWords(question))];
  const matchOf = (words: ReadonlyMap<string, number>, word: string): number => {
    if (words.has(word)) return words.get(word)!;
    if (word.length < SHORTEST_BEGINNING) return 0;
    const longer = [...words].filter(([each]) => each.startsWith(word)).map(([, weight]) => weight);
    return PART_OF_WORD * Math.max(0, ...longer);
  };
  const matches = new Map(
    operations.map((operation) => {
      const words = wordsOf(operation);
      return [operation, asked.map((word) => matchOf(words, word))];
    }),
  );
  const weights = asked.map((_, at) => {
    const having = [...matches.values()].filter((each) => each[at]! > 0).length;
    return Math.log(1 + operations.length / (1 + having));
  });
  const most = weights.reduce((sum, weight) => sum + weight, 0);
  return (operation) =>
    matches.get(operation)!.reduce((sum, match, at) => sum + weights[at]! * match, 0) /
    Math.max(most, Number.EPSILON);
}

const known = new WeakMap<AgentOperation, ReadonlyMap<string, number>>();

/** Words of the name count most, then the summary, then the arguments. */
function wordsOf(operation: AgentOperation): ReadonlyMap<string, number> {
  const words = known.get(operation);
  if (words) return words;
  const { name, route, toolset } = operation;
  const takes = Object.keys(describeArguments(route).properties).join(' ');
  const made = new Map([
    ...splitWords(takes).map((word) => [word, TAKEN] as const),
    ...splitWords(route.description ?? '').map((word) => [word, DESCRIBED] as const),
    ...splitWords([name, route.summary, toolset, ...route.tags].join(' ')).map((word) => [word, 1] as const),
  ]);
  known.set(operation, made);
  return made;
}

/** Common words that say nothing about the goal. */
const STOP_WORDS = new Set(
  'an and are at be by for from how in is it its me my of on or our so some somebody someone something that the their them this to us was what when where which who why will with you your'.split(
    ' ',
  ),
);

/** A crude stemmer, sufficient for about a hundred operations. */
const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map((word) => word.replace(/(?:ies|es|s|ing|ed)$/, ''));
