/** English verbs whose forms no stemmer brings together: people ask "where did she go" about "she went". */
export const VERB_FORMS: readonly (readonly string[])[] = `
become became; begin began begun; bend bent; bet; bite bit bitten; blow blew blown; break broke broken; bring brought;
build built; burn burnt; buy bought; catch caught; choose chose chosen; come came; cost; cut; deal dealt; dig dug;
draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed;
feel felt; fight fought; find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen;
get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held;
keep kept; know knew known; lead led; learn learnt; leave left; lend lent; lose lost; make made; mean meant; meet met;
pay paid; quit; read; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; sell sold;
send sent; sew sewn; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; speak spoke spoken; spend spent; spill spilt; stand stood; steal stole stolen;
stick stuck; strike struck; swear swore sworn; swim swam swum; swing swung; take took taken; teach taught; tear tore torn;
tell told; think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won;
withdraw withdrew withdrawn; write wrote written
`
  .split(';')
  .map((forms) => forms.trim().split(/\s+/))
  .filter((forms) => forms.length > 1);

/** For every stem of a form, the stems of the others. */
export function relateStems(stemOf: ReadonlyMap<string, string>): Map<string, string[]> {
  const related = new Map<string, string[]>();
  for (const forms of VERB_FORMS) {
    const stems = [...new Set(forms.flatMap((form) => stemOf.get(form) ?? []))];
    for (const stem of stems) {
      const others = stems.filter((other) => other !== stem);
      related.set(stem, [...new Set([...(related.get(stem) ?? []), ...others])]);
    }
  }
  return related;
}
