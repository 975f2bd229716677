import { type Build, listBuildsOfCard } from '../../api/builds.js';
import { useResource } from '../../api/resource.js';
import { Link } from '../../shell/router.js';
import { Note } from '../../ui/feedback.js';
import { buildAddress } from '../build-words.js';

/** Links the build that a review reads; a review has no commits of its own. */
export function ReviewedNote({ build }: { build: Build }) {
  const list = useResource(
    `builds:card:${build.task_id}`,
    (signal) => listBuildsOfCard(build.task_id, signal),
    { freshMs: 5_000 },
  );
  const read = list.data?.builds.find(({ reviews }) =>
    reviews?.some(({ build_id }) => build_id === build.build_id),
  );
  return (
    <Note>
      This build reviews the change of{' '}
      {read ? (
        <Link to={buildAddress(read.build_id)}>attempt {read.attempt}</Link>
      ) : (
        `attempt ${build.attempt}`
      )}{' '}
      and says what it thinks of it. Nothing of it is pushed.
    </Note>
  );
}
