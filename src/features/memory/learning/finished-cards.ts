import { type Extracted, shorten } from './extracted.js';
import { holdsSecret } from './junk.js';
import type { Message } from './messages.js';

export interface FinishedCard {
  id: string;
  ref: string;
  board: string;
  title: string;
  instructions: string | null;
  result: string | null;
  completed_at: Date | null;
  updated_at: Date;
}

/** What memory asks of the boards: cards in `done` that are assigned to an agent, in the order of their last change. */
export interface FinishedCards {
  listFinishedCards(wish: {
    brandId: number;
    agentId: string;
    after?: { updatedAt: Date; id: string };
    limit?: number;
  }): Promise<FinishedCard[]>;
}

const LONGEST_PART = 20_000;
const LONGEST_HEADING = 2000;
const CARD = /^Card (\S{1,100}) on the board /;

/** A finished card as a conversation: what was asked, and what came of it. */
export function cardMessages(card: FinishedCard): Message[] {
  const at = (card.completed_at ?? card.updated_at).toISOString();
  const title = card.title.replace(/\s+/g, ' ');
  const heading = `Card ${card.ref} on the board ${card.board.replace(/\s+/g, ' ')}: ${title}`;
  const part = (text: string | null) => (text ?? '').slice(0, LONGEST_PART).toWellFormed();
  return [
    { role: 'user', content: `${heading}\n${part(card.instructions)}`.trim(), at },
    {
      role: 'assistant',
      content: part(card.result).trim() || 'The card was finished without a written result.',
      at,
    },
  ];
}

function readHeading(content: string): { ref: string; title: string } | undefined {
  const line = content.slice(0, LONGEST_HEADING).split('\n', 1)[0]!;
  const start = CARD.exec(line);
  const colon = start ? line.indexOf(': ', start[0].length) : -1;
  return start && colon >= 0 ? { ref: start[1]!, title: line.slice(colon + 2) } : undefined;
}

/** Without a model: that it was done, and how it ended. */
export function summariseCard(messages: readonly Message[]): Extracted[] {
  const [asked, done] = messages;
  const heading = asked && readHeading(asked.content);
  if (!heading || !done) return [];
  const { ref, title } = heading;
  const body = shorten(done.content, 2000);
  if (holdsSecret(body) || holdsSecret(title)) return [];
  return [
    {
      kind: 'summary',
      title: shorten(`Finished ${ref}: ${title}`, 200),
      body,
      description: null,
      tags: [],
      confidence: 0.7,
      importance: 'normal',
      excerpt: shorten(asked.content, 1200),
    },
  ];
}
