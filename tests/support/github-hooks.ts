import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** What GitHub published as bodies of its webhooks. */
export interface HookExample {
  event: string;
  /** Not every event has one. */
  action: string | undefined;
  body: Record<string, unknown>;
}

interface Published {
  name: string;
  examples: Record<string, unknown>[];
}

const published = (require('@octokit/webhooks-examples') as Published[]).flatMap(({ name, examples }) =>
  examples.map((body): HookExample => {
    const { action } = body;
    return { event: name, action: typeof action === 'string' ? action : undefined, body };
  }),
);

/** All of them, or those of one event. */
export const githubHooks = (event?: string): HookExample[] =>
  published.filter((example) => event === undefined || example.event === event);
