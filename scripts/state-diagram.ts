import { readFile } from 'node:fs/promises';
import { LIFECYCLE, type Step } from '../src/features/builds/lifecycle/states.js';

const PAGE = 'docs/builds.md';
const BLOCK = /(?<=<!-- made from lifecycle\/states\.ts by `npm run generate` -->\n)[\s\S]*?(?=<!-- end -->)/;

/** Generates the docs page with the diagram of a build's states. */
export async function makeStatePage(): Promise<{ path: string; text: string }> {
  const page = await readFile(PAGE, 'utf8');
  if (!BLOCK.test(page)) throw new Error(`${PAGE} has no place for the diagram of states`);
  return { path: PAGE, text: page.replace(BLOCK, () => `\n${drawStates()}\n\n`) };
}

/** Draws one arrow per pair of states, labeled with all events that lead there. */
function drawStates(): string {
  const arrows = Object.entries(LIFECYCLE).flatMap(([from, events]) => {
    const byTarget = new Map<string, string[]>();
    for (const [event, { to }] of Object.entries<Step>(events))
      byTarget.set(to, [...(byTarget.get(to) ?? []), event]);
    return [...byTarget].map(([to, names]) => `  ${from} --> ${to}: ${names.join(', ')}`);
  });
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> queued', ...arrows, '```'].join('\n');
}
