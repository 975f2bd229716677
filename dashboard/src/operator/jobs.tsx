import { useState } from 'react';
import { useAction } from '../api/action.js';
import { listJobs, type PlatformJob, runJob } from '../api/operator.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Badge, formatDuration, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { Page } from '../ui/page.js';
import { useToast } from '../ui/toast.js';

const POLL_MS = 5000;

export function Jobs() {
  const jobs = useResource('operator:jobs', listJobs, { pollMs: POLL_MS });
  const [failing, setFailing] = useState(false);
  return (
    <Page
      title="Jobs"
      lead="Background jobs of the service."
      actions={
        <button type="button" className="chip" aria-pressed={failing} onClick={() => setFailing(!failing)}>
          Failing {jobs.data?.jobs.filter(isFailing).length ?? ''}
        </button>
      }
    >
      <Loaded of={jobs} rows={6}>
        {(data) => {
          const shown = failing ? data.jobs.filter(isFailing) : data.jobs;
          return shown.length === 0 ? (
            <p className="muted">No job is failing.</p>
          ) : (
            <ul className="rows" aria-label="Jobs">
              {shown.map((job) => (
                <JobRow key={job.name} job={job} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Page>
  );
}

const isFailing = (job: PlatformJob): boolean => Boolean(job.last_error) || job.failing > 0;

/** Describes common cron schedules in words and shows others as written. */
function scheduleWords(schedule: string | null): string {
  if (!schedule) return 'on demand';
  const seconds = /^every (\d+) seconds$/.exec(schedule)?.[1];
  if (seconds) return `every ${formatDuration(Number(seconds))}`;
  const minutes = /^\*\/(\d+) \* \* \* \*$/.exec(schedule)?.[1];
  if (minutes) return `every ${minutes} min`;
  const past = /^(\d+) \* \* \* \*$/.exec(schedule)?.[1];
  return past ? `every hour, ${past} min past` : schedule;
}

function JobRow({ job }: { job: PlatformJob }) {
  const toast = useToast();
  const run = useAction(async () => {
    try {
      const { processed, failed } = await runJob(job.name);
      toast({
        text: `${job.name}: ${processed} processed${failed > 0 ? `, ${failed} failed` : ''}`,
        tone: failed > 0 ? 'error' : 'plain',
      });
    } catch (error) {
      toast({ text: `${job.name}: ${(error as Error).message}`, tone: 'error' });
    } finally {
      refresh('operator:jobs');
    }
  });
  return (
    <li className="row">
      <div className="row-main">
        <span className="row-title">
          <strong className="mono">{job.name}</strong>
          {job.waiting > 0 && <Badge tone="info">{job.waiting} waiting</Badge>}
          {job.failing > 0 && <Badge tone="bad">{job.failing} failing</Badge>}
        </span>
        <span className="muted small">{job.description}</span>
        {job.last_error && <span className="bad small">{job.last_error}</span>}
      </div>
      <span className="muted small job-times">
        {scheduleWords(job.schedule)}
        <span>
          last run <Time at={job.last_run_at} />
        </span>
      </span>
      <Button small busy={run.busy} onClick={() => void run.run()}>
        Run now<span className="off-screen"> {job.name}</span>
      </Button>
    </li>
  );
}
