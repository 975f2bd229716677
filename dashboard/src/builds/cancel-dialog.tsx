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
          ? 'It waits still, so it ends at once.'
          : build.local
            ? 'It ends at once; what was done stays on the machine of whoever has it.'
            : 'The desk is told to end the coder; that takes a few seconds. What it has not committed is lost.'}{' '}
        The card goes back to pending.
      </p>
    </Confirm>
  );
}
