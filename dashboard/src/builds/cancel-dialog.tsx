import { type Build, cancelBuild } from '../api/builds.js';
import { putResource, refresh } from '../api/resource.js';
import { Confirm } from '../ui/dialog.js';

export function CancelDialog({ build, onClose }: { build: Build; onClose(): void }) {
  return (
    <Confirm
      title={`Cancel the build of ${build.ref}?`}
      submit="Cancel build"
      onClose={onClose}
      perform={async () => {
        const changed = await cancelBuild(build.build_id);
        putResource<Build>(`build:${build.build_id}`, () => changed);
        refresh('builds:');
      }}
    >
      <p>
        {build.status === 'queued'
          ? 'The build is queued and ends immediately.'
          : build.local
            ? 'The build ends immediately. The work stays on the machine where it was started.'
            : 'The desk stops the coder within a few seconds. Uncommitted work is lost.'}{' '}
        The card goes back to pending.
      </p>
    </Confirm>
  );
}
