import { pathToFileURL } from 'node:url';

/** Starts Unleash as documented, with fixed tokens and without telemetry. It is controlled by messages. */
export interface UnleashOrder {
  main: string;
  database: { host: string; port: number; user: string; database: string };
  tokens: { admin: string; client: string };
}

interface Unleash {
  start(options: object): Promise<{ server: { address(): { port: number } } }>;
}

process.on('message', async ({ main, database, tokens }: UnleashOrder) => {
  try {
    const unleash = (await import(pathToFileURL(main).href)) as Unleash;
    const everywhere = { projects: ['*'], tokenName: 'bench' };
    const { server } = await unleash.start({
      db: { ...database, ssl: false, pool: { min: 0, max: 10 } },
      server: { host: '127.0.0.1', port: 0 },
      logLevel: 'error',
      versionCheck: { enable: false },
      telemetry: false,
      authentication: {
        type: 'open-source',
        createAdminUser: false,
        initApiTokens: [
          { ...everywhere, environment: '*', secret: tokens.admin, type: 'admin' },
          { ...everywhere, environment: 'development', secret: tokens.client, type: 'client' },
        ],
      },
    });
    process.send?.({ url: `http://127.0.0.1:${server.address().port}` });
  } catch (error) {
    process.send?.({ fault: (error as Error).message });
  }
});
process.on('disconnect', () => process.exit());
