import { type HostActs, NotPossible, NotThere } from './host-acts.js';
import { showCheck, showHost, showIssue, showPull, showRefusal, showRepository } from './host-pages.js';
import type { HostState } from './host-state.js';

export interface Visit {
  status: number;
  html?: string;
  /** Where the page is, after something was done. */
  location?: string;
}

/** Who looks at the pages acts as this person. */
const VISITOR = 'visitor';

/** What people see on the host, and what they do there. */
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
        ? { conclusion, summary: 'Somebody let it fail.', log: 'Expected: passing\nReceived: failing\n' }
        : { conclusion: 'success', summary: 'Somebody let it pass.', log: 'Everything went well\n' };
    for (const check of names.length > 0 ? names : ['tests'])
      acts.setCheck(headSha, { name: check, ...words }, one.name);
  }

  async function act(name: string, place: string, number: number, deed: string, form: URLSearchParams) {
    if (place === 'issues' && deed === 'close') return acts.closeIssue(number, name);
    if (place !== 'pull') throw new NotThere();
    if (deed === 'merge') return acts.merge(number, name);
    if (deed === 'close') return acts.closePullRequest(number, name);
    if (deed === 'checks') return endChecks(name, number, form.get('conclusion') ?? '');
    const state = form.get('state') === 'APPROVED' ? 'APPROVED' : 'CHANGES_REQUESTED';
    const body = state === 'APPROVED' ? 'Looks good.' : 'Please have another look at this.';
    acts.review(number, { author: VISITOR, state, body }, name);
  }

  return async function visit(method: string, path: string, form: URLSearchParams): Promise<Visit> {
    if (method === 'GET' && path === '/') return { status: 200, html: showHost(state.repositories) };
    const [, name = '', place = '', number = '', deed] =
      /^\/([^/]+\/[^/]+)(?:\/(pull|issues|checks)\/(\d{1,9})(?:\/(merge|close|checks|review))?)?$/.exec(
        path,
      ) ?? [];
    try {
      if (name === '') throw new NotThere();
      if (method === 'POST' && deed !== undefined) {
        await act(name, place, Number(number), deed, form);
        return { status: 303, location: `/${name}/${place}/${number}` };
      }
      const html =
        method === 'GET' && deed === undefined ? await look(name, place, Number(number)) : undefined;
      if (html === undefined) throw new NotThere();
      return { status: 200, html };
    } catch (error) {
      if (error instanceof NotThere) return { status: 404, html: showRefusal('There is no such page.') };
      if (error instanceof NotPossible) return { status: 409, html: showRefusal(`${error.message}.`) };
      throw error;
    }
  };
}
