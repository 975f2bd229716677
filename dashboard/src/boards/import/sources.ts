import type { Source } from '../../api/imports.js';

interface SourceWords {
  label: string;
  /** How to export the file. */
  hint: string;
  accept: string;
}

export const SOURCES: Record<Source, SourceWords> = {
  github: {
    label: 'GitHub',
    hint: 'What `gh issue list --state all --limit 10000 --json number,title,body,state,stateReason,labels,assignees,author,milestone,comments,url,createdAt,closedAt` prints.',
    accept: '.json,.jsonl,.ndjson',
  },
  gitlab: {
    label: 'GitLab',
    hint: 'The CSV of Issues → Export as CSV, or the JSON that its API lists.',
    accept: '.csv,.json,.jsonl',
  },
  linear: {
    label: 'Linear',
    hint: 'The CSV of Settings → Import/Export → Export data.',
    accept: '.csv',
  },
  jira: {
    label: 'Jira',
    hint: 'The CSV of a filter (Export → CSV, all fields), or the JSON that a search answers.',
    accept: '.csv,.json',
  },
  trello: {
    label: 'Trello',
    hint: 'The JSON of a board: Menu → Print, export and share → Export as JSON.',
    accept: '.json',
  },
  csv: {
    label: 'A table (CSV)',
    hint: 'A first line of names with at least a title; description, status, assignee, labels, priority, due, parent, url and id are known too.',
    accept: '.csv,.tsv,.txt',
  },
};

export const SOURCE_NAMES = Object.keys(SOURCES) as Source[];

export const isHost = (source: Source): boolean => source === 'github' || source === 'gitlab';
