import { type Extracted, type Kind, shorten } from '../records/memory.record.js';
import { holdsSecret, keepSpoken, type Message } from './messages.js';

interface Rule {
  kind: Kind;
  pattern: RegExp;
  confidence: number;
  /** Only a user's statements count, not an assistant's offers. */
  saidBy?: 'user';
}

/** Ordered: the first rule that matches a sentence determines its kind. */
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

/**
 * Extracts memories from clearly worded sentences without a model. It prefers missing a memory to inventing
 * one.
 */
export function extractByRules(messages: readonly Message[]): Extracted[] {
  const found = new Map<string, Extracted>();
  for (const message of keepSpoken(messages)) {
    const sentences = splitSentences(message.content);
    sentences.forEach((sentence, i) => {
      const rule =
        isStatement(sentence) && !isInstruction(sentence, message.role)
          ? findRule(sentence, message.role)
          : undefined;
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

/** Words of agreement before a decision. */
const ASSENT =
  /^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|right|alright|agreed|fine|good|perfect|cool|then|so)[,.!;:]*\s+)+(?=let(?:'s| us)\b|we(?:'ll| will)\b)/i;

const LABEL =
  /^(?:(?:please )?remember(?: that|:)?|decision:|learning:|lessons?(?: learned)?:|preference:|pattern:|fact:|important:|fyi[:,]?|til:|note(?: to self)?(?: that|:)|keep in mind(?: that)?|for the record[:,]?|don't forget(?: that)?)\s+/i;

function withoutLabel(sentence: string): string {
  const rest = sentence.replace(ASSENT, '').replace(LABEL, '');
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
/** Text that a program added to the conversation. */
const MARKUP = /^<\/?[a-z][\w-]*[\s>]/i;
const GUESS = /\b(?:maybe|perhaps|might be|not sure|i think|i guess|what if|should we|could be)\b/i;

/** Statements that nothing was learned or decided. */
const EMPTY_HANDED =
  /\b(?:learned|learnt|found out|discovered|realized|realised|noticed|figured out|decided|agreed|chose|chosen|settled|concluded)(?: (?:absolutely|really|basically|almost|on))? (?:nothing|not much|none)(?=\s*(?:[.!,;]|$)| (?:new|else|more|today|yet|so far|from|about|here|this|useful|interesting|worth|at all|really|special|in|during|of)\b)|\b(?:nothing|no (?:lessons?|decisions?|learnings?)) (?:new )?(?:(?:was|were|has been|have been|is|to be) )?(?:learned|learnt|decided|agreed|discovered|made|to remember|to note)\b|\b(?:have|has|had|did|do|does|was|were|is)(?:n't| not)(?: yet| really| been)* (?:learn|decide|agree|settle|conclude|discover|figure)(?:d|ed|nt)?\b|^(?:decisions?|learnings?|lessons?(?: learned)?|preferences?|patterns?|facts?)\s*:\s*(?:none|nothing|n\/a)\b/i;
const NEXT_STEP =
  /^let(?:'s| us) (?:move (?:on|forward|ahead)|keep (?:going|at it|looking|trying)|go (?:on|ahead)|switch (?:back )?to the next)\b/i;
/** Names a choice, so a sentence of three words is enough. */
const SETTLED = /^let(?:'s| us) (?:go with|use|adopt|stick (?:with|to)|switch to|move to) \S{2,}/i;
const SHORTEST_SETTLED = 12;

function isStatement(said: string): boolean {
  const sentence = said.replace(ASSENT, '');
  if (said.length > LONGEST_SENTENCE) return false;
  const isLong = sentence.length >= SHORTEST_SENTENCE && sentence.split(/\s+/).length >= FEWEST_WORDS;
  if (!isLong && !(SETTLED.test(sentence) && sentence.length >= SHORTEST_SETTLED)) return false;
  return (
    !QUESTION.test(sentence) &&
    !SMALL_TALK.test(sentence) &&
    !NEXT_STEP.test(sentence) &&
    !EMPTY_HANDED.test(sentence) &&
    !GUESS.test(sentence) &&
    !MARKUP.test(sentence) &&
    !holdsSecret(sentence)
  );
}

const OPENING =
  /^(?:(?:please|kindly|now|then|first|next|finally|also|and|but|so|ok(?:ay)?|just|again|instead|meanwhile|afterwards?|once (?:you are |you're )?done|when (?:you are |you're )?(?:done|finished|ready)|before (?:you )?(?:start|begin)(?:ning)?)[,:;]?\s+)+/i;
/**
 * Verbs that start an instruction. Before a noun many of them are nouns themselves ("Test data comes from
 * factories").
 */
const TASK_VERB =
  /^(?:(?:do not|don't)\s+)?(?:add|analy[sz]e|answer|apply|ask|avoid|be|begin|build|call|change|check|clean|commit|compare|complete|consider|continue|copy|create|debug|decide|delete|describe|do|document|edit|ensure|examine|expand|explain|extend|find|finish|fix|focus|follow|forget|generate|get|give|go|help|identify|implement|improve|include|inspect|investigate|keep|learn|leave|list|locate|look|maintain|make|mark|measure|merge|mention|migrate|modify|move|name|note|open|output|pass|perform|pick|plan|prefer|prepare|print|produce|propose|provide|pull|push|put|read|rebase|recall|record|reduce|refactor|remember|remove|rename|replace|reply|report|reproduce|research|respond|return|review|rewrite|run|save|say|scan|search|see|send|set|show|simplify|skip|sort|split|start|state|stay|stick|stop|store|study|submit|suggest|summari[sz]e|take|tell|test|think|touch|track|trace|treat|try|update|use|validate|verify|wait|watch|work|write)\b/i;
const AFTER_VERB =
  /^\s+(?:the|an?|it|its|them|this|that|these|those|your|my|our|his|her|their|all|every|each|any|some|no|not|none|both|one|what|whatever|which|whichever|who|how|why|when|where|whether|if|me|us|him|yourself|to|for|in|on|at|as|from|with|without|into|up|out|off|over|through|about|by|down|back|only|first|again|carefully|sure|certain|careful|and|or|then|here|there|everything|anything|nothing|something|only|it's|\S+ing)\b|^[\s.:!,]*$/i;
/** Lasting preferences and notes are worth remembering although they are imperatives. */
const STANDING =
  /^(?:please\s+)?(?:(?:do not|don't)\s+ever|always|never|(?:do not|don't) forget that|remember(?: that|:)|note(?: that|:)|keep in mind(?: that|:)|be aware that)\s/i;
const INSTRUCTION =
  /^(?:you(?:'re|'ll|'ve)?|your|yours)\b|\b(?:i|we)(?:'d| would)? (?:want|need|like|expect|ask) you to\b|\byou (?:should|must|will|can|may|need to|have to|are (?:to|now|going))\b/i;

/** An instruction applies only once, so it is not remembered. */
function isInstruction(sentence: string, role: string): boolean {
  if (role === 'assistant' || STANDING.test(sentence)) return false;
  if (/^please\b/i.test(sentence) || INSTRUCTION.test(sentence)) return true;
  const rest = sentence.replace(OPENING, '');
  const verb = TASK_VERB.exec(rest);
  return verb !== null && AFTER_VERB.test(rest.slice(verb[0].length));
}

/** List items and lines are sentences too. An abbreviation or a version does not end a sentence. */
export function splitSentences(text: string): string[] {
  return text
    .split(/\n+/)
    .flatMap((line) =>
      line.replace(/^\s*(?:[-*+>]|\d+[.)]|#+)\s+/, '').split(/(?<=[.!?])\s+(?=["'“(]?[\p{Lu}\p{N}])/u),
    )
    .map((sentence) =>
      sentence
        .replace(/\*\*|__/g, '')
        .replaceAll('’', "'")
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => sentence !== '');
}
