/** Runs `work`, or records why it could not run. Returns whether it ran. */
export async function trySkipping(
  name: string,
  skipped: string[],
  work: () => Promise<void> | void,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    skipped.push(`${name}: SKIPPED, ${reason}`);
    console.log(skipped.at(-1));
    return false;
  }
}
