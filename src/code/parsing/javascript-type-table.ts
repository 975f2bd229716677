import type { FileFacts, TypeFact, TypeTable } from './facts.js';
import { holdsFunction, leadsSomewhere } from './javascript-types.js';

type Named = Map<string, TypeFact | null>;

export type TypeCollector = ReturnType<typeof collectTypes>;

/** Gathers what a file tells of types, and in the end keeps what leads somewhere. */
export function collectTypes() {
  const named: Named = new Map();
  const results: Named = new Map();
  const values: Named = new Map();

  /** What is said twice and differently (overloads, merged interfaces) is not known. */
  const noteIn = (table: Named) => (name: string, type: TypeFact | null) => {
    if (!name) return;
    const isSame = !table.has(name) || JSON.stringify(table.get(name)) === JSON.stringify(type);
    table.set(name, isSame ? type : null);
  };

  function addTo(facts: FileFacts): FileFacts {
    const isKnown = knownNames(facts, values);
    const telling = (table: Named): [string, TypeFact][] =>
      [...table].filter(
        (entry): entry is [string, TypeFact] =>
          entry[1] !== null && (leadsSomewhere(entry[1], isKnown) || holdsFunction(entry[1])),
      );
    const types: TypeTable = { named: telling(named), results: telling(results), values: telling(values) };
    facts.calls = facts.calls.filter(([, form, name, owner]) => {
      if (form === 'plain') return isKnown(name);
      return form === 'own' || form === 'base' || leadsSomewhere(owner, isKnown);
    });
    const isEmpty = types.named.length + types.results.length + types.values.length === 0;
    return isEmpty ? facts : { ...facts, types };
  }

  return { name: noteIn(named), answer: noteIn(results), hold: noteIn(values), addTo };
}

/** The names a file declares or takes from elsewhere: nothing else in it can lead to code of the project. */
function knownNames(facts: FileFacts, values: Named): (name: string) => boolean {
  const names = new Set([...values].filter(([, type]) => type !== null).map(([name]) => name));
  for (const { name } of facts.symbols) names.add(name);
  for (const { names: taken, namespace } of facts.imports) {
    for (const [, local] of taken) names.add(local);
    if (namespace) names.add(namespace);
  }
  return (name) => names.has(name);
}
