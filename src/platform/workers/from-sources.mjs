/**
 * The first module of a thread that runs from the sources. Node 20 does not apply `--import` hooks to the file a thread starts
 * with, so the loader is registered here. Large packages are loaded before: each of their modules would go through it.
 */
const asked = new URL(import.meta.url).searchParams;
for (const name of asked.getAll('package')) await import(name);
const { register } = await import(asked.get('loader'));
register();
await import(asked.get('source'));
