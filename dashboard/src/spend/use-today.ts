import { useResource } from '../api/resource.js';
import { readWorkspace } from '../api/workspace.js';
import { useSession } from '../shell/session.js';
import { type Day, dayIn } from './days.js';

/** The current day in the workspace's time zone; undefined while that is loading. */
export function useToday(): { today: Day; timezone: string } | undefined {
  const { brand } = useSession();
  const workspace = useResource(
    `workspace:${brand.brand_id}`,
    (signal) => readWorkspace(brand.brand_id, signal),
    { freshMs: 60_000 },
  );
  if (!workspace.data) return undefined;
  const { timezone } = workspace.data;
  return { today: dayIn(timezone, new Date()), timezone };
}
