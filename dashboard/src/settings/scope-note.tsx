import { useResource } from '../api/resource.js';
import { readWorkspace } from '../api/workspace.js';
import { useSession } from '../shell/session.js';

/** The scopes that tokens of the workspace may have; undefined while loading. */
export function useScopeCeiling(): readonly string[] | undefined {
  const { brand } = useSession();
  const workspace = useResource(`workspace:${brand.brand_id}`, (signal) =>
    readWorkspace(brand.brand_id, signal),
  );
  return workspace.data?.scope_ceiling;
}

export function ScopeNote({ scope }: { scope: string }) {
  const { brand } = useSession();
  return (
    <p className="field-hint">
      Tokens of this workspace cannot have <code>{scope}</code>. The operator of this server can allow it:{' '}
      <code>PATCH /api/v1/admin/brands/{brand.brand_id}</code> with <code>scope_ceiling</code>.
    </p>
  );
}
