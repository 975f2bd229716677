import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Example webhook bodies published by GitHub. */
export interface HookExample {
  event: string;
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

export const githubHooks = (event?: string): HookExample[] =>
  published.filter((example) => event === undefined || example.event === event);
