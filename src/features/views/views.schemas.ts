import { type Static, Type } from 'typebox';
import { Actor, Closed, Described, Named, Timestamp, Uuid } from '../../platform/http/declaration/schemas.js';

const Name = Described(
  'Name of the view.',
  Type.String({ minLength: 1, maxLength: 80, pattern: '\\S', rule: 'must not be blank' }),
);
const Query = Described('Query string of the page.', Type.String({ minLength: 1, maxLength: 2000 }));
const Shared = Type.Boolean({
  description: 'Whether all members of the workspace see the view. Default: false.',
});

export const View = Named(
  'SavedView',
  Closed({
    view_id: Uuid,
    name: Type.String(),
    query: Type.String(),
    created_at: Timestamp,
    shared: Type.Boolean(),
    owner: Actor,
  }),
);
export type View = Static<typeof View>;

export const ViewList = Named(
  'SavedViewList',
  Closed({ views: Type.Array(View), total: Type.Integer({ minimum: 0 }) }),
);

export const ViewInput = Named(
  'SavedViewInput',
  Closed({ name: Name, query: Query, shared: Type.Optional(Shared) }),
);
export type ViewInput = Static<typeof ViewInput>;

export const ViewPatch = Named(
  'SavedViewPatch',
  Closed({ name: Type.Optional(Name), query: Type.Optional(Query), shared: Type.Optional(Shared) }),
);
export type ViewPatch = Static<typeof ViewPatch>;
