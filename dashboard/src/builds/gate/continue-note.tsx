import { useAction } from '../../api/action.js';
import { readCard } from '../../api/boards.js';
import { type Build, listBuildsOfCard, readPolicy, startBuild } from '../../api/builds.js';
import { readProjectBudget } from '../../api/money.js';
import { refresh, useResource } from '../../api/resource.js';
import { Link, navigate } from '../../shell/router.js';
import { formatCents } from '../../spend/spend-words.js';
import { findSpent, type Stand } from '../../spend/stands.js';
import { useWorkspaceStand } from '../../spend/use-stand.js';
import { Button } from '../../ui/button.js';
import { ErrorNote, Note } from '../../ui/feedback.js';
import { buildAddress } from '../build-words.js';
import { useWishKey } from '../wish-key.js';

export function ContinueNote({ build }: { build: Build }) {
  const keyFor = useWishKey();
  const spent = findSpent(useStands(build));
  const next = useNext(build);
  const go = useAction(async () => {
    const wish = {
      coder: build.coder,
      ...(build.profile && { profile: build.profile }),
      base_branch: build.base_branch,
      continues: build.build_id,
    };
    const started = await startBuild(build.task_id, wish, keyFor(wish));
    refresh('builds:');
    navigate(buildAddress(started.build_id));
  });
  return (
    <Note tone="warn">
      <div className="continue-note">
        <span>
          <strong>Budget reached.</strong> {build.head_sha ? 'The commits so far are kept. ' : ''}
          {spent.length > 0 && `No money left in ${spent.map(sayStand).join(', ')}. `}
          <Link to="/dashboard/spend">Spending</Link>
        </span>
        {next ? (
          <Link to={buildAddress(next.build_id)}>Attempt {next.attempt} continues from it</Link>
        ) : (
          <Button tone="primary" small busy={go.busy} onClick={() => void go.run()}>
            {spent.length > 0 ? 'Continue when the budget allows' : 'Continue'}
          </Button>
        )}
      </div>
      {go.fault && <ErrorNote fault={go.fault} />}
    </Note>
  );
}

const sayStand = ({ name, budget, spent }: Stand): string =>
  `${name} (${formatCents(spent)} of ${formatCents(budget)})`;

function useNext(build: Build): Build | undefined {
  const list = useResource(
    `builds:card:${build.task_id}`,
    (signal) => listBuildsOfCard(build.task_id, signal),
    { freshMs: 5_000 },
  );
  return list.data?.builds.find(({ continues }) => continues === build.build_id);
}

/** The budgets that apply to a build of this card, as far as the page can read them. */
function useStands(build: Build): Stand[] {
  const whole = useWorkspaceStand();
  const policy = useResource('build-policy', readPolicy, { freshMs: 10_000 });
  const card = useResource(`card:${build.task_id}`, (signal) => readCard(build.task_id, signal), {
    freshMs: 15_000,
  });
  const project = useResource(`budget:project:${build.project_id}`, (signal) =>
    readProjectBudget(build.project_id, signal),
  );
  const known: [string, number | null | undefined, number | undefined][] = [
    ['the budget of the card', policy.data?.budget.card_usd, card.data?.cost_usd],
    ['the workspace’s budget of today', whole?.dayBudget, whole?.daySpent],
    ['the workspace’s budget of this month', whole?.monthBudget, whole?.monthSpent],
    ['the project’s budget of today', project.data?.day_usd, project.data?.day_spent_usd],
    ['the project’s budget of this month', project.data?.month_usd, project.data?.month_spent_usd],
  ];
  return known.flatMap(([name, budget, spent]) =>
    typeof budget === 'number' && typeof spent === 'number' ? [{ name, budget, spent }] : [],
  );
}
