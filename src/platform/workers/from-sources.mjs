/**
 * The first module of a thread that runs from the sources. It registers the loader, because Node 20 does not
 * apply `--import` to a worker's entry file. Large packages are imported before, without the loader.
 */
const asked = new URL(import.meta.url).searchParams;
for (const name of asked.getAll('package')) await import(name);
const { register } = await import(asked.get('loader'));
register();
await import(asked.get('source'));
