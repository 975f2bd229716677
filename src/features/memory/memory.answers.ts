import type { Format } from '../../platform/http/answer/answers.js';
import { writeYaml } from '../../platform/http/answer/yaml.js';
import { searchMarkdownParts } from './memory.markdown.js';
import type { SearchAnswer } from './memory.schemas.js';

/** So many characters are written at once without anybody noticing. */
const AT_ONCE = 256 * 1024;

/** A long answer memory by memory, in the bytes it would have as a whole; undefined for one that is not long. */
export function searchParts(found: SearchAnswer, format: Format): Iterable<string> | undefined {
  const characters = found.memories.reduce((sum, { body }) => sum + body.length, 0);
  return characters > AT_ONCE ? WRITERS[format](found) : undefined;
}

const WRITERS: Record<Format, (found: SearchAnswer) => Iterable<string>> = {
  *json({ memories, ...rest }) {
    for (const [i, memory] of memories.entries())
      yield `${i === 0 ? '{"memories":[' : ','}${JSON.stringify(memory)}`;
    yield `],${JSON.stringify(rest).slice(1)}`;
  },
  *yaml({ memories, ...rest }) {
    const head = 'memories:\n';
    yield head;
    for (const memory of memories) yield writeYaml({ memories: [memory] }).slice(head.length);
    yield writeYaml(rest);
  },
  md: searchMarkdownParts,
};
