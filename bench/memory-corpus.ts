/** Generates sentences as conversations do: a few people who occur often, and many rare things. */
export interface Corpus {
  sentence(people: readonly string[]): { title: string; body: string };
  question(people: readonly string[]): string;
  pick<T>(items: readonly T[]): T;
}

export const PEOPLE =
  'Caroline Melanie Joanna Nathan Audrey Andrew Evelyn Calvin Deborah Jolene Tobias Marek Ingrid Lucia Henrik Amara Kenji Priya Rowan Silvia'.split(
    ' ',
  );
const VERBS =
  'bought sold painted repaired visited booked planned cancelled finished started lost found adopted trained taught learned baked cooked wrote recorded reviewed deployed migrated tested designed measured borrowed returned donated restored photographed organised hosted attended joined left rented moved packed shipped'.split(
    ' ',
  );
const ADJECTIVES =
  'red old quiet wooden broken annual local famous tiny second golden electric handmade spare portable ancient noisy cheap secret public'.split(
    ' ',
  );
const NOUNS =
  'bicycle guitar garden kitchen puppy violin telescope canoe tent recipe novel sculpture database pipeline invoice contract passport vaccine marathon concert workshop seminar orchard chimney balcony staircase lantern compass backpack sweater blanket teapot pottery mural poem podcast camera drone bakery library museum theatre harbour vineyard lighthouse bridge tunnel windmill greenhouse beehive sailboat scooter piano cello trumpet saxophone notebook calendar budget forecast dashboard server router firewall backup certificate token schema index cache queue worker sensor battery antenna engine'.split(
    ' ',
  );
const PLACES =
  'Lisbon Bergen Kyoto Oaxaca Tallinn Hobart Quito Nairobi Halifax Ghent Porto Leeds Basel Turin Malmo Riga Split Cusco Perth Osaka'.split(
    ' ',
  );
const TIMES =
  'in January;in March;last summer;two weeks ago;on Tuesday;before the holidays;after the launch;during the storm;every Sunday;in the spring;at the weekend;last night'.split(
    ';',
  );
const REASONS =
  'because it was on sale;to help a neighbour;for the school fair;as a birthday present;after reading about it;to save money;on the advice of a friend;for the new office;to keep the team calm;since the old one failed'.split(
    ';',
  );

export function createCorpus(seed: number): Corpus {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  // Squaring favors the first words of a list, because words are not equally common.
  const often = <T>(items: readonly T[]): T => items[Math.floor(items.length * random() ** 2)]!;
  const detail = () => `${often(NOUNS)}-${Math.floor(random() * 4000).toString(36)}`;
  return {
    pick,
    sentence(people) {
      const title = `${often(people)} ${often(VERBS)} the ${often(ADJECTIVES)} ${often(NOUNS)} in ${often(PLACES)} ${pick(TIMES)}`;
      return { title, body: `${title} ${pick(REASONS)}; see ${detail()}.` };
    },
    question(people) {
      return pick([
        () =>
          `What did ${often(people)} do with the ${often(ADJECTIVES)} ${often(NOUNS)} in ${often(PLACES)}?`,
        () => `When was the ${often(NOUNS)} ${often(VERBS)} by ${often(people)}?`,
        () => `Who ${often(VERBS)} a ${often(ADJECTIVES)} ${often(NOUNS)} ${pick(TIMES)}?`,
        () => `Where is ${often(people)}'s ${often(NOUNS)} now, and why was it ${often(VERBS)}?`,
        () => `${often(NOUNS)} ${often(PLACES)}`,
      ])();
    },
  };
}
