/** What an import does not bring along, in words for people. Each is counted over the cards that it concerns. */
export const LOSSES = {
  attachments: 'Attachments: linked in the text, not copied',
  commentTexts: 'Comments: the file has only their number',
  olderComments: 'Older comments: the file does not have them',
  moreComments: 'Comments beyond 1,000 or 1 MB a card',
  moreLabels: 'Labels beyond 100 a card',
  longText: 'Text beyond 1 MB a card',
  customFields: 'Custom fields',
  votes: 'Votes',
  workLog: 'Work log',
  timeSpent: 'Time tracking',
  projectBoards: 'Project boards and their fields',
  formerMembers: 'Members who have left the board',
  checklistDetails: 'Due dates and members of checklist items',
  links: 'Links to items that are not imported: named in the text',
  confidential: 'Confidentiality: everybody who can open the board sees the card',
} as const;

const LONGEST_COLUMN = 80;

export const lostColumn = (name: string): string =>
  `Column ${name.length > LONGEST_COLUMN ? `${name.slice(0, LONGEST_COLUMN)}…` : name}`;

export const lostField = (name: string): string => `Field ${name.slice(0, LONGEST_COLUMN)}`;
