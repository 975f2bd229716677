import { idOf, nodeId, REPOSITORY_URLS, reactions, USER_URLS, under } from './host-addresses.js';
import type {
  HostedCheck,
  HostedComment,
  HostedDeployment,
  HostedIssue,
  HostedLineComment,
  HostedPull,
  HostedRepository,
  HostedReview,
} from './host-state.js';

/** Objects as GitHub returns them, with all fields that its OpenAPI description requires. */
export type Shapes = ReturnType<typeof createShapes>;

export interface PullFacts {
  mergeable: boolean | null;
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
}

export function createShapes(origin: () => string, apiUrl: () => string) {
  const apiOf = ({ name }: HostedRepository) => `${apiUrl()}/repos/${name}`;
  const pageOf = ({ name }: HostedRepository) => `${origin()}/${name}`;
  const ownerOf = ({ name }: HostedRepository) => name.split('/')[0]!;

  function user(login: string) {
    const url = `${apiUrl()}/users/${encodeURIComponent(login)}`;
    return {
      login,
      id: idOf(login),
      node_id: nodeId('User', idOf(login)),
      avatar_url: `${origin()}/avatars/${encodeURIComponent(login)}`,
      gravatar_id: '',
      url,
      html_url: `${origin()}/${encodeURIComponent(login)}`,
      ...under(url, USER_URLS),
      type: 'User',
      user_view_type: 'public',
      site_admin: false,
    };
  }

  function repository(one: HostedRepository, mayPush = true) {
    const open = [...one.issues, ...one.pulls].filter(({ state }) => state === 'open').length;
    const page = pageOf(one);
    return {
      id: one.id,
      node_id: nodeId('Repository', one.id),
      name: one.name.split('/')[1],
      full_name: one.name,
      private: true,
      owner: user(ownerOf(one)),
      html_url: page,
      description: null,
      fork: false,
      url: apiOf(one),
      ...under(apiOf(one), REPOSITORY_URLS),
      git_url: `${page.replace(/^http/, 'git')}.git`,
      ssh_url: `ssh://git@${new URL(origin()).host}/${one.name}.git`,
      clone_url: `${page}.git`,
      svn_url: page,
      mirror_url: null,
      homepage: null,
      language: null,
      license: null,
      created_at: one.createdAt,
      updated_at: one.createdAt,
      pushed_at: one.createdAt,
      size: 0,
      stargazers_count: 0,
      watchers_count: 0,
      watchers: 0,
      forks_count: 0,
      forks: 0,
      network_count: 0,
      subscribers_count: 0,
      open_issues_count: open,
      open_issues: open,
      has_issues: true,
      has_projects: false,
      has_downloads: false,
      has_wiki: false,
      has_pages: false,
      has_discussions: false,
      has_pull_requests: true,
      archived: false,
      disabled: false,
      visibility: 'private',
      topics: [],
      is_template: false,
      web_commit_signoff_required: false,
      default_branch: one.defaultBranch,
      permissions: { admin: false, maintain: false, push: mayPush, triage: mayPush, pull: true },
    };
  }

  const label = (one: HostedRepository, name: string) => ({
    id: idOf(name),
    node_id: nodeId('Label', idOf(name)),
    url: `${apiOf(one)}/labels/${encodeURIComponent(name)}`,
    name,
    color: 'ededed',
    default: false,
    description: null,
  });

  function pullInList(one: HostedRepository, pull: HostedPull) {
    const url = `${apiOf(one)}/pulls/${pull.number}`;
    const issueUrl = `${apiOf(one)}/issues/${pull.number}`;
    const page = `${pageOf(one)}/pull/${pull.number}`;
    const statuses = `${apiOf(one)}/statuses/${pull.headSha}`;
    const end = (ref: string, sha: string) => ({
      label: `${ownerOf(one)}:${ref}`,
      ref,
      sha,
      user: user(ownerOf(one)),
      repo: repository(one),
    });
    const urls = {
      comments: `${issueUrl}/comments`,
      commits: `${url}/commits`,
      statuses,
      html: page,
      issue: issueUrl,
      review_comments: `${url}/comments`,
      review_comment: `${apiOf(one)}/pulls/comments{/number}`,
      self: url,
    };
    return {
      url,
      id: pull.id,
      node_id: nodeId('PullRequest', pull.id),
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      issue_url: issueUrl,
      commits_url: urls.commits,
      review_comments_url: urls.review_comments,
      review_comment_url: urls.review_comment,
      comments_url: urls.comments,
      statuses_url: statuses,
      number: pull.number,
      state: pull.state,
      locked: false,
      title: pull.title,
      user: user(pull.author),
      body: pull.body,
      labels: [],
      milestone: null,
      active_lock_reason: null,
      created_at: pull.createdAt,
      updated_at: pull.updatedAt,
      closed_at: pull.closedAt,
      merged_at: pull.mergedAt,
      merge_commit_sha: pull.mergeSha,
      assignee: null,
      assignees: [],
      requested_reviewers: pull.requested.map(user),
      requested_teams: [],
      head: end(pull.branch, pull.headSha),
      base: end(pull.base, pull.baseSha),
      _links: Object.fromEntries(Object.entries(urls).map(([name, href]) => [name, { href }])),
      author_association: 'OWNER',
      auto_merge: null,
      draft: pull.draft,
    };
  }

  const pullRequest = (one: HostedRepository, pull: HostedPull, facts: PullFacts) => ({
    ...pullInList(one, pull),
    merged: pull.mergedAt !== null,
    rebaseable: facts.mergeable,
    mergeable_state: facts.mergeable === null ? 'unknown' : facts.mergeable ? 'clean' : 'dirty',
    merged_by: pull.mergedAt ? user(ownerOf(one)) : null,
    comments: 0,
    review_comments: pull.comments.length,
    maintainer_can_modify: false,
    ...facts,
  });

  function review(one: HostedRepository, pull: HostedPull, given: HostedReview) {
    const html = `${pageOf(one)}/pull/${pull.number}#pullrequestreview-${given.id}`;
    const url = `${apiOf(one)}/pulls/${pull.number}`;
    return {
      id: given.id,
      node_id: nodeId('PullRequestReview', given.id),
      user: user(given.author),
      body: given.body,
      state: given.state,
      html_url: html,
      pull_request_url: url,
      _links: { html: { href: html }, pull_request: { href: url } },
      submitted_at: given.at,
      commit_id: given.sha,
      author_association: 'MEMBER',
    };
  }

  function lineComment(one: HostedRepository, pull: HostedPull, comment: HostedLineComment) {
    const url = `${apiOf(one)}/pulls/comments/${comment.id}`;
    const html = `${pageOf(one)}/pull/${pull.number}#discussion_r${comment.id}`;
    const pullUrl = `${apiOf(one)}/pulls/${pull.number}`;
    const at = comment.line === null ? {} : { line: comment.line, original_line: comment.line };
    return {
      id: comment.id,
      node_id: nodeId('PullRequestReviewComment', comment.id),
      url,
      pull_request_review_id: comment.reviewId,
      diff_hunk: '',
      path: comment.path,
      ...at,
      side: 'RIGHT',
      commit_id: comment.sha,
      original_commit_id: comment.sha,
      subject_type: comment.line === null ? 'file' : 'line',
      user: user(comment.author),
      body: comment.body,
      created_at: comment.at,
      updated_at: comment.at,
      html_url: html,
      pull_request_url: pullUrl,
      author_association: 'MEMBER',
      _links: { self: { href: url }, html: { href: html }, pull_request: { href: pullUrl } },
    };
  }

  function checkRun(one: HostedRepository, check: HostedCheck) {
    const url = `${apiOf(one)}/check-runs/${check.id}`;
    const repo = { id: one.id, url: apiOf(one), name: one.name.split('/')[1] };
    const page = `${pageOf(one)}/checks/${check.id}`;
    return {
      id: check.id,
      node_id: nodeId('CheckRun', check.id),
      head_sha: check.sha,
      external_id: String(check.id),
      url,
      html_url: page,
      details_url: page,
      status: check.status,
      conclusion: check.conclusion,
      started_at: check.startedAt,
      completed_at: check.completedAt,
      name: check.name,
      check_suite: { id: one.id },
      output: {
        title: null,
        summary: check.summary,
        text: null,
        annotations_count: 0,
        annotations_url: `${url}/annotations`,
      },
      app: {
        id: 15_368,
        slug: 'github-actions',
        node_id: nodeId('App', 15_368),
        owner: user('github'),
        name: 'GitHub Actions',
        description: 'Machines that check what was pushed; here they are simulated.',
        external_url: `${origin()}/`,
        html_url: `${origin()}/apps/github-actions`,
        created_at: one.createdAt,
        updated_at: one.createdAt,
        permissions: { checks: 'write', contents: 'read', metadata: 'read' },
        events: ['check_run', 'pull_request', 'push'],
      },
      pull_requests: one.pulls
        .filter((pull) => pull.state === 'open' && pull.headSha === check.sha)
        .map((pull) => ({
          id: pull.id,
          number: pull.number,
          url: `${apiOf(one)}/pulls/${pull.number}`,
          head: { ref: pull.branch, sha: pull.headSha, repo },
          base: { ref: pull.base, sha: pull.baseSha, repo },
        })),
    };
  }

  const combinedStatus = (one: HostedRepository, sha: string) => ({
    state: 'pending',
    statuses: [],
    sha,
    total_count: 0,
    repository: repository(one),
    commit_url: `${apiOf(one)}/commits/${sha}`,
    url: `${apiOf(one)}/commits/${sha}/status`,
  });

  const deployment = (one: HostedRepository, { id, sha, at }: HostedDeployment) => ({
    url: `${apiOf(one)}/deployments/${id}`,
    id,
    node_id: nodeId('Deployment', id),
    task: 'deploy',
    original_environment: 'preview',
    environment: 'preview',
    description: null,
    created_at: at,
    updated_at: at,
    statuses_url: `${apiOf(one)}/deployments/${id}/statuses`,
    repository_url: apiOf(one),
    creator: user(ownerOf(one)),
    sha,
    ref: sha,
    payload: {},
    transient_environment: true,
    production_environment: false,
  });

  const deploymentStatus = (one: HostedRepository, { id, url, at }: HostedDeployment) => ({
    url: `${apiOf(one)}/deployments/${id}/statuses/${id}`,
    id,
    node_id: nodeId('DeploymentStatus', id),
    state: 'success',
    creator: user(ownerOf(one)),
    description: '',
    environment: 'preview',
    target_url: url,
    environment_url: url,
    log_url: url,
    created_at: at,
    updated_at: at,
    deployment_url: `${apiOf(one)}/deployments/${id}`,
    repository_url: apiOf(one),
  });

  function issue(one: HostedRepository, source: HostedIssue) {
    const url = `${apiOf(one)}/issues/${source.number}`;
    return {
      url,
      repository_url: apiOf(one),
      labels_url: `${url}/labels{/name}`,
      comments_url: `${url}/comments`,
      events_url: `${url}/events`,
      html_url: `${pageOf(one)}/issues/${source.number}`,
      id: source.id,
      node_id: nodeId('Issue', source.id),
      number: source.number,
      title: source.title,
      user: user(source.author),
      labels: source.labels.map((name) => label(one, name)),
      state: source.state,
      state_reason: source.state === 'closed' ? 'completed' : null,
      locked: false,
      assignee: null,
      assignees: [],
      milestone: null,
      comments: source.comments.length,
      created_at: source.createdAt,
      updated_at: source.updatedAt,
      closed_at: source.closedAt,
      author_association: 'MEMBER',
      active_lock_reason: null,
      body: source.body,
      reactions: reactions(url),
    };
  }

  function comment(one: HostedRepository, number: number, given: HostedComment) {
    const url = `${apiOf(one)}/issues/comments/${given.id}`;
    return {
      url,
      html_url: `${pageOf(one)}/issues/${number}#issuecomment-${given.id}`,
      issue_url: `${apiOf(one)}/issues/${number}`,
      id: given.id,
      node_id: nodeId('IssueComment', given.id),
      user: user(given.author),
      created_at: given.at,
      updated_at: given.at,
      author_association: 'MEMBER',
      body: given.body,
      performed_via_github_app: null,
      reactions: reactions(url),
    };
  }

  return {
    user,
    repository,
    label,
    pullInList,
    pullRequest,
    review,
    lineComment,
    checkRun,
    combinedStatus,
    deployment,
    deploymentStatus,
    issue,
    comment,
  };
}
