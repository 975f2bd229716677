import { CompiledQuery, sql } from 'kysely';
import type { Plan } from '../../../kernel/access.js';
import type { ActorIds, ActorNames } from '../../../kernel/actors.js';
import type { Feature } from '../../../kernel/plans.js';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface Choice {
  on: boolean;
  by: ActorNames;
  changed_at: Date;
}

export interface WorkspaceFacts {
  plan: Plan;
  new_navigation: boolean;
  holds: Record<Feature, number>;
  choices: Partial<Record<Feature, Choice>>;
}

type StoredChoice = Omit<Choice, 'changed_at'> & { changed_at: string };

interface FactsRow {
  plan: Plan;
  new_navigation: boolean;
  skills: number;
  feed: number;
  machines: number;
  crm: number;
  choices: Partial<Record<Feature, StoredChoice>> | null;
}

/** Precompiled, because this is the most frequent read of the settings. */
const FACTS = `
  select b.plan, b.new_navigation,
    (select count(*) from installed_packages p where p.brand_id = b.brand_id) as skills,
    (select count(*) from feed_sources f where f.brand_id = b.brand_id) as feed,
    (select count(*) from desks d where d.brand_id = b.brand_id) as machines,
    (select count(*) from boards c where c.brand_id = b.brand_id and c.board_type = 'crm') as crm,
    (select json_object_agg(c.feature, json_build_object(
              'on', c.is_on, 'changed_at', c.changed_at, 'by', json_build_object(
                'user_id', c.changed_by, 'person', u.full_name, 'agent_id', c.changed_by_agent, 'agent', a.name)))
     from feature_choices c join users u on u.user_id = c.changed_by left join agents a on a.agent_id = c.changed_by_agent
     where c.brand_id = b.brand_id) as choices
  from brands b where b.brand_id = $1`;

export function featureSwitchStore(db: Db | Tx, brandId: number) {
  return {
    async readFacts(): Promise<WorkspaceFacts> {
      const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(FACTS, [brandId]));
      const { plan, new_navigation, skills, feed, machines, crm, choices } = rows[0]!;
      return { plan, new_navigation, holds: { skills, feed, machines, crm }, choices: readChoices(choices) };
    },

    async readChoice(feature: Feature): Promise<{ plan: Plan; choice: { on: boolean } | undefined }> {
      const { rows } = await sql<{ plan: Plan; is_on: boolean | null }>`
        select b.plan, c.is_on from brands b
        left join feature_choices c on c.brand_id = b.brand_id and c.feature = ${feature}
        where b.brand_id = ${brandId}`.execute(db);
      const { plan, is_on } = rows[0]!;
      return { plan, choice: is_on === null ? undefined : { on: is_on } };
    },

    /** Locks the plan, so that a choice cannot be made against a plan that is changing. */
    async lockPlan(): Promise<Plan> {
      const { rows } = await sql<{ plan: Plan }>`
        select plan from brands where brand_id = ${brandId} for share`.execute(db);
      return rows[0]!.plan;
    },

    async setChoice(feature: Feature, on: boolean, by: ActorIds, at: Date): Promise<void> {
      await sql`
        insert into feature_choices (brand_id, feature, is_on, changed_by, changed_by_agent, changed_at)
        values (${brandId}, ${feature}, ${on}, ${by.userId}, ${by.agentId}, ${at})
        on conflict (brand_id, feature) do update
        set is_on = excluded.is_on, changed_by = excluded.changed_by, changed_by_agent = excluded.changed_by_agent,
          changed_at = excluded.changed_at`.execute(db);
    },
  };
}

function readChoices(stored: FactsRow['choices']): WorkspaceFacts['choices'] {
  const choices: WorkspaceFacts['choices'] = {};
  for (const [feature, choice] of Object.entries(stored ?? {})) {
    choices[feature as Feature] = { ...choice, changed_at: new Date(choice.changed_at) };
  }
  return choices;
}
