import { type HostActs, NotPossible, NotThere } from './host-acts.js';
import type { HostedIssue, HostedPull, HostedRepository, HostState } from './host-state.js';

/** Small pages that show the simulated host, with buttons for what people do there. */

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; max-width: 52rem; padding: 0 1.25rem 3rem; }
  header { border-block-end: 1px solid #8886; margin-block-end: 1.5rem; padding: 1rem 0; }
  header strong { background: #b45309; border-radius: 4px; color: #fff; padding: 0.15rem 0.5rem; }
  pre { background: #8881; border-radius: 6px; overflow-x: auto; padding: 0.75rem; white-space: pre-wrap; }
  form { display: inline-block; margin: 0 0.5rem 0.5rem 0; }
  button { border: 1px solid #8888; border-radius: 6px; cursor: pointer; font: inherit; padding: 0.4rem 0.9rem; }
  button.main { background: #15803d; border-color: #15803d; color: #fff; }
  button:focus-visible { outline: 3px solid #60a5fa; }
  li { margin-block: 0.25rem; }
  small { opacity: 0.75; }
`;

function escapeHtml(text: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };
  return text.replace(/[&<>"']/g, (letter) => `&${names[letter]};`);
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Simulated host</title><style>${STYLE}</style></head>
<body><header><strong>Simulated host</strong> <small>Stands in for the host of a team's repositories. Nothing here leaves this machine.</small></header>
<main>${content}</main></body>
</html>
`;
}

const link = (path: string, text: string) => `<a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`;

const button = (path: string, text: string, fields: Record<string, string> = {}, main = false) =>
  `<form method="post" action="${escapeHtml(path)}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')}<button${main ? ' class="main"' : ''}>${escapeHtml(text)}</button></form>`;

const list = (items: readonly string[], none: string) =>
  items.length > 0 ? `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>` : `<p>${none}</p>`;

const stateOf = (pull: HostedPull) => (pull.mergedAt ? 'merged' : pull.draft ? 'draft' : pull.state);

const showHost = (repositories: readonly HostedRepository[]): string =>
  page(
    'Repositories',
    `<h1>Repositories</h1>${list(
      repositories.map(({ name }) => link(`/${name}`, name)),
      'None.',
    )}`,
  );

function showRepository(one: HostedRepository): string {
  const pulls = one.pulls.toReversed().map((pull) => {
    const text = `#${pull.number} ${pull.title}`;
    return `${link(`/${one.name}/pull/${pull.number}`, text)} <small>${stateOf(pull)}</small>`;
  });
  const issues = one.issues.toReversed().map((issue) => {
    const text = `#${issue.number} ${issue.title}`;
    return `${link(`/${one.name}/issues/${issue.number}`, text)} <small>${issue.state}</small>`;
  });
  return page(
    one.name,
    `<h1>${escapeHtml(one.name)}</h1><h2>Pull requests</h2>${list(pulls, 'None yet.')}<h2>Issues</h2>${list(issues, 'None yet.')}`,
  );
}

function showPull(one: HostedRepository, pull: HostedPull, mergeable: boolean | null): string {
  const path = `/${one.name}/pull/${pull.number}`;
  const checks = one.checks
    .filter(({ sha }) => sha === pull.headSha)
    .map(({ id, name, status, conclusion }) => {
      return `${link(`/${one.name}/checks/${id}`, name)}: ${escapeHtml(conclusion ?? status.replace('_', ' '))}`;
    });
  const reviews = pull.reviews.map(
    ({ author, state, body }) =>
      `${escapeHtml(author)}: ${state.toLowerCase().replace('_', ' ')}${body && ` – ${escapeHtml(body)}`}`,
  );
  const comments = pull.comments.map(
    ({ author, path: file, line, body }) =>
      `<code>${escapeHtml(file)}${line === null ? '' : `:${line}`}</code> ${escapeHtml(author)}: ${escapeHtml(body)}`,
  );
  const merging =
    mergeable === false
      ? '<p>The branches conflict; this cannot be merged as it is.</p>'
      : button(`${path}/merge`, 'Merge pull request', {}, true);
  const acting = [
    merging,
    button(`${path}/checks`, 'Let the checks pass', { conclusion: 'success' }),
    button(`${path}/checks`, 'Let the checks fail', { conclusion: 'failure' }),
    button(`${path}/review`, 'Approve', { state: 'APPROVED' }),
    button(`${path}/review`, 'Ask for changes', { state: 'CHANGES_REQUESTED' }),
    button(`${path}/close`, 'Close without a merge'),
  ].join('');
  return page(
    `#${pull.number} ${pull.title}`,
    `<p>${link(`/${one.name}`, one.name)}</p><h1>${escapeHtml(pull.title)} <small>#${pull.number}</small></h1>
<p><b>${stateOf(pull)}</b>: ${escapeHtml(pull.author)} wants <code>${escapeHtml(pull.branch)}</code> in <code>${escapeHtml(pull.base)}</code>, at <code>${pull.headSha.slice(0, 10)}</code></p>
${pull.state === 'open' ? acting : ''}
<h2>Checks</h2>${list(checks, 'None.')}<h2>Reviews</h2>${list([...reviews, ...comments], 'None.')}
<h2>Description</h2><pre>${escapeHtml(pull.body)}</pre>`,
  );
}

function showIssue(one: HostedRepository, issue: HostedIssue): string {
  const path = `/${one.name}/issues/${issue.number}`;
  const comments = issue.comments.map(
    ({ author, body }) => `${escapeHtml(author)}: <pre>${escapeHtml(body)}</pre>`,
  );
  return page(
    `#${issue.number} ${issue.title}`,
    `<p>${link(`/${one.name}`, one.name)}</p><h1>${escapeHtml(issue.title)} <small>#${issue.number}</small></h1>
<p><b>${issue.state}</b>, by ${escapeHtml(issue.author)}. ${escapeHtml(issue.labels.join(', '))}</p>
${issue.state === 'open' ? button(`${path}/close`, 'Close issue') : ''}
<pre>${escapeHtml(issue.body)}</pre><h2>Comments</h2>${list(comments, 'None.')}`,
  );
}

const showCheck = (one: HostedRepository, id: number): string | undefined => {
  const check = one.checks.find((each) => each.id === id);
  return (
    check &&
    page(
      check.name,
      `<p>${link(`/${one.name}`, one.name)}</p><h1>${escapeHtml(check.name)}</h1><p><b>${escapeHtml(check.conclusion ?? check.status)}</b></p><p>${escapeHtml(check.summary ?? '')}</p><pre>${escapeHtml(check.log)}</pre>`,
    )
  );
};

const showRefusal = (words: string): string =>
  page('Not done', `<h1>Not done</h1><p>${escapeHtml(words)}</p>`);

interface Visit {
  status: number;
  html?: string;
  /** Redirect target after an action. */
  location?: string;
}

/** Actions on the pages are attributed to this person. */
const VISITOR = 'visitor';

export function createVisits(state: HostState, acts: HostActs) {
  async function look(name: string, place: string, number: number): Promise<string | undefined> {
    const one = acts.find(name);
    await acts.refresh(one);
    if (place === '') return showRepository(one);
    if (place === 'checks') return showCheck(one, number);
    if (place === 'issues') return showIssue(one, acts.findIssue(one, number));
    const pull = acts.findPull(one, number);
    return showPull(one, pull, (await acts.factsOf(one, pull)).mergeable);
  }

  function endChecks(name: string, number: number, conclusion: string): void {
    const one = acts.find(name);
    const { headSha } = acts.findPull(one, number);
    const names = one.checks.filter(({ sha }) => sha === headSha).map((check) => check.name);
    const words =
      conclusion === 'failure'
        ? { conclusion, summary: 'Set to fail on this page.', log: 'Expected: passing\nReceived: failing\n' }
        : { conclusion: 'success', summary: 'Set to pass on this page.', log: 'Everything went well\n' };
    for (const check of names.length > 0 ? names : ['tests'])
      acts.setCheck(headSha, { name: check, ...words }, one.name);
  }

  async function act(name: string, place: string, number: number, action: string, form: URLSearchParams) {
    if (place === 'issues' && action === 'close') return acts.closeIssue(number, name);
    if (place !== 'pull') throw new NotThere();
    if (action === 'merge') return acts.merge(number, name);
    if (action === 'close') return acts.closePullRequest(number, name);
    if (action === 'checks') return endChecks(name, number, form.get('conclusion') ?? '');
    const state = form.get('state') === 'APPROVED' ? 'APPROVED' : 'CHANGES_REQUESTED';
    const body = state === 'APPROVED' ? 'Looks good.' : 'Please have another look at this.';
    acts.review(number, { author: VISITOR, state, body }, name);
  }

  return async function visit(method: string, path: string, form: URLSearchParams): Promise<Visit> {
    if (method === 'GET' && path === '/') return { status: 200, html: showHost(state.repositories) };
    const [, name = '', place = '', number = '', action] =
      /^\/([^/]+\/[^/]+)(?:\/(pull|issues|checks)\/(\d{1,9})(?:\/(merge|close|checks|review))?)?$/.exec(
        path,
      ) ?? [];
    try {
      if (name === '') throw new NotThere();
      if (method === 'POST' && action !== undefined) {
        await act(name, place, Number(number), action, form);
        return { status: 303, location: `/${name}/${place}/${number}` };
      }
      const html =
        method === 'GET' && action === undefined ? await look(name, place, Number(number)) : undefined;
      if (html === undefined) throw new NotThere();
      return { status: 200, html };
    } catch (error) {
      if (error instanceof NotThere) return { status: 404, html: showRefusal('There is no such page.') };
      if (error instanceof NotPossible) return { status: 409, html: showRefusal(`${error.message}.`) };
      throw error;
    }
  };
}
