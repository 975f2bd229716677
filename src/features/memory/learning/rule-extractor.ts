import { type Extracted, type LearnedKind, shorten } from './extracted.js';
import { holdsSecret, keepSpoken } from './junk.js';
import type { Message } from './messages.js';

interface Rule {
  kind: LearnedKind;
  pattern: RegExp;
  confidence: number;
  /** Only what a person says about themselves or their world counts, not what an assistant offers. */
  saidBy?: 'user';
}

/** In order: the first rule that fits a sentence names its kind. */
const RULES: Rule[] = [
  {
    kind: 'decision',
    confidence: 0.75,
    pattern:
      /\b(?:(?:we|i|the team|they)(?:'ve| have)? (?:just |finally |all )?(?:decided|agreed|chose|chosen|settled|opted|picked|concluded)|decision\s*:|it (?:was|is|has been) decided|let(?:'s| us) (?:go with|use|stick (?:with|to)|adopt|keep|switch|move)|we(?:'ll| will| are going to|'re going to) (?:use|go with|adopt|switch|migrate|move|keep|stick|drop|replace)|going forward,? we|from now on,? we|we (?:are )?(?:switching|migrating|moving) (?:to|from))\b/i,
  },
  {
    kind: 'preference',
    confidence: 0.75,
    pattern:
      /\b(?:(?:i|we|you|they) (?:really |strongly |always |would |'d )*(?:prefer|like|love|hate|dislike|want|favou?r)\b|\w+ (?:really |strongly |always )*(?:prefers|likes|loves|hates|dislikes|wants|favou?rs)\b|(?:i'd|we'd) rather|(?:my|our|his|her|their) (?:favou?rite|preference)|preference\s*:|please (?:always|never|don't|do not|make sure)|(?:always|never) (?:use|write|run|commit|push|add|put|format|call|ask|answer|reply|include|deploy|merge|start|keep|leave)|don't ever|do not ever|instead of using)/i,
  },
  {
    kind: 'learning',
    confidence: 0.7,
    pattern:
      /\b(?:(?:i|we|they) (?:have |'ve |just )?(?:learned|learnt|found out|discovered|realized|realised|noticed|figured out)|lesson(?:s)?(?: learned)?\s*:|learning\s*:|turns out|turned out|it appears that|root cause|the (?:fix|solution|workaround|trick|problem|issue|culprit|cause|reason|bug) (?:was|is|turned)|(?:fixed|solved|resolved|worked around) (?:it|this|that|the)|til\s*:|note to self|gotcha|caused by|was failing because|fails? (?:because|when|if|unless)|breaks? (?:when|if|unless))/i,
  },
  {
    kind: 'pattern',
    confidence: 0.65,
    pattern:
      /\b(?:every time|each time|whenever|as a rule|pattern\s*:|we (?:usually|typically|generally|tend to)|(?:usually|typically) (?:when|we|it))\b/i,
  },
  {
    kind: 'fact',
    confidence: 0.7,
    pattern:
      /\b(?:remember(?: that)?\b|keep in mind|for the record|fyi\b|note that|fact\s*:|important\s*:|don't forget|do not forget|be aware that|for your information)/i,
  },
  {
    kind: 'fact',
    confidence: 0.6,
    saidBy: 'user',
    pattern:
      /\b(?:(?:my|our|the|his|her|their|this|these) [\w' -]{2,60}? (?:is|are|was|were|has|have|uses?|runs?|lives?|needs?|requires?|expires?|listens?|deploys?|points?|belongs?|starts?|ends?|must|can't|cannot|should)\b|i(?:'m| am| work| live| use| have| was)\b|we(?:'re| are| have| use| run| deploy| host| need)\b)/i,
  },
  {
    kind: 'fact',
    confidence: 0.6,
    saidBy: 'user',
    pattern:
      /\b[A-Z][\w.-]+(?: [A-Z][\w.-]+)? (?:is|are|was|has|uses|runs|lives|works|needs|requires|owns|maintains|listens|expires|deploys)\b/,
  },
];

const SHORTEST_SENTENCE = 15;
const LONGEST_SENTENCE = 600;
const FEWEST_WORDS = 4;
const MOST_MEMORIES = 25;
const TITLE = 160;
const EXCERPT = 1200;

/** Learns without a model: sentences that say of themselves what they are. It would rather miss than make things up. */
export function extractByRules(messages: readonly Message[]): Extracted[] {
  const found = new Map<string, Extracted>();
  for (const message of keepSpoken(messages)) {
    const sentences = splitSentences(message.content);
    sentences.forEach((sentence, i) => {
      const rule = isStatement(sentence) ? findRule(sentence, message.role) : undefined;
      const key = sentence.toLowerCase();
      if (!rule || found.has(key) || found.size >= MOST_MEMORIES) return;
      found.set(key, memoryOf(sentence, rule, sentences.slice(Math.max(0, i - 1), i + 2).join(' ')));
    });
  }
  return [...found.values()];
}

const findRule = (sentence: string, role: string): Rule | undefined =>
  RULES.find(
    ({ pattern, saidBy }) => (saidBy === undefined || role !== 'assistant') && pattern.test(sentence),
  );

function memoryOf(sentence: string, rule: Rule, around: string): Extracted {
  return {
    kind: rule.kind,
    title: shorten(withoutLabel(sentence), TITLE),
    body: sentence,
    description: null,
    tags: readTags(sentence),
    confidence: rule.confidence,
    importance: 'normal',
    excerpt: shorten(around, EXCERPT),
  };
}

const LABEL =
  /^(?:(?:please )?remember(?: that|:)?|decision:|learning:|lessons?(?: learned)?:|preference:|pattern:|fact:|important:|fyi[:,]?|til:|note(?: to self)?(?: that|:)|keep in mind(?: that)?|for the record[:,]?|don't forget(?: that)?)\s+/i;

function withoutLabel(sentence: string): string {
  const rest = sentence.replace(LABEL, '');
  return rest.length < SHORTEST_SENTENCE ? sentence : rest.charAt(0).toUpperCase() + rest.slice(1);
}

const readTags = (sentence: string): string[] => [
  ...new Set(
    [...sentence.matchAll(/(?:^|\s)#([\p{L}][\p{L}\p{N}_-]{1,49})/gu)].map(([, tag]) => tag!.toLowerCase()),
  ),
];

const QUESTION =
  /\?\s*$|^(?:what|why|how|when|where|who|which|can|could|should|would|do|does|did|is|are|will|shall|may)\b(?=.*\?)/i;
const SMALL_TALK =
  /^(?:ok(?:ay)?|thanks?|thank you|sure|great|yes|no|hello|hi|sorry|got it|done|let me|i'll|i will|i am going to|i'm going to)\b/i;
const GUESS = /\b(?:maybe|perhaps|might be|not sure|i think|i guess|what if|should we|could be)\b/i;

function isStatement(sentence: string): boolean {
  if (sentence.length < SHORTEST_SENTENCE || sentence.length > LONGEST_SENTENCE) return false;
  if (sentence.split(/\s+/).length < FEWEST_WORDS) return false;
  return (
    !QUESTION.test(sentence) && !SMALL_TALK.test(sentence) && !GUESS.test(sentence) && !holdsSecret(sentence)
  );
}

/** One sentence a piece; list items and lines are sentences too. An abbreviation or a version does not end one. */
export function splitSentences(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) =>
      line.replace(/^\s*(?:[-*+>]|\d+[.)]|#+)\s+/, '').split(/(?<=[.!?])\s+(?=["'“(]?[\p{Lu}\p{N}])/u),
    )
    .map((sentence) =>
      sentence
        .replace(/\*\*|__/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => sentence !== '');
}
