import type { Status } from '../../features/boards/board/columns.js';
import type { BoardType } from '../../features/boards/boards.schemas.js';

export interface Story {
  name: string;
  boardType: BoardType;
  columns: { name: string; status: Status }[];
  cards: number;
  verbs: string[];
  things: string[];
  details: string[];
  comments: string[];
  labels: string[];
  /** Repository of the pull requests; a board without one has no code. */
  repository?: string;
}

const BUILD_COLUMNS: Story['columns'] = [
  { name: 'Backlog', status: 'pending' },
  { name: 'In Progress', status: 'in_progress' },
  { name: 'Review', status: 'in_review' },
  { name: 'Blocked', status: 'blocked' },
  { name: 'Done', status: 'done' },
];

export const BUILD_STORY: Story = {
  name: 'Platform Build',
  boardType: 'build',
  columns: BUILD_COLUMNS,
  cards: 320,
  repository: 'https://git.example/platform',
  verbs: [
    'Speed up',
    'Fix',
    'Document',
    'Test',
    'Split',
    'Retire',
    'Harden',
    'Measure',
    'Translate',
    'Redesign',
  ],
  things: [
    'the telemetry intake',
    'gripper calibration',
    'the battery forecast',
    'the fleet map',
    'firmware roll-outs',
    'operator sign-in',
    'the path planner',
    'joint limit checks',
    'the incident timeline',
    'the spare part catalog',
    'nightly simulations',
    'the emergency stop log',
  ],
  details: [
    'for robots that lose the network',
    'on the second production line',
    'when two orders overlap',
    'for the March release',
    'after a power cut',
    'in the customer portal',
    'with more than 500 units',
    'on older controllers',
  ],
  comments: [
    'Reproduced on the test cell; the log is attached to the build.',
    'The first attempt ran out of turns. Raised the guard and started it again.',
    'Looks good. One question about the time zone in the report.',
    'Agreed with the people at the line: we keep the old name for one release.',
    'Benchmarks before and after are in the description.',
    'Waiting for the new controllers, expected next week.',
  ],
  labels: ['backend', 'firmware', 'frontend', 'safety', 'customer', 'performance'],
};

export const CRM_STORY: Story = {
  name: 'Customer Pipeline',
  boardType: 'crm',
  columns: [
    { name: 'Leads', status: 'pending' },
    { name: 'Talking', status: 'in_progress' },
    { name: 'Offer out', status: 'in_review' },
    { name: 'On hold', status: 'blocked' },
    { name: 'Won', status: 'done' },
    { name: 'Lost', status: 'canceled' },
  ],
  cards: 60,
  verbs: ['Call', 'Visit', 'Send an offer to', 'Follow up with', 'Introduce the team to'],
  things: [
    'Norden Dairy',
    'Halvorsen Shipyard',
    'Castell Ceramics',
    'Okonkwo Foods',
    'Pinewood Hospital',
    'Lindgren Paper',
  ],
  details: [
    'about the packing line',
    'about a pilot',
    'about renewing',
    'about training',
    'about two more cells',
  ],
  comments: [
    'They ask for a reference customer.',
    'Budget is approved for next quarter.',
    'Call again after the fair.',
  ],
  labels: ['pilot', 'renewal', 'expansion'],
};

export const STUDIO_STORY: Story = {
  name: 'Studio Website',
  boardType: 'build',
  columns: BUILD_COLUMNS,
  cards: 240,
  repository: 'https://git.example/studio',
  verbs: ['Design', 'Write', 'Fix', 'Review', 'Publish', 'Photograph'],
  things: [
    'the landing page',
    'the portfolio',
    'the price list',
    'the booking form',
    'the newsletter',
    'the contact page',
  ],
  details: [
    'for small screens',
    'in Italian',
    'for the spring season',
    'without cookies',
    'with the new logo',
  ],
  comments: [
    'The client likes the second draft.',
    'Contrast is too low on the button.',
    'Text is with the proofreader.',
  ],
  labels: ['content', 'design', 'code'],
};
