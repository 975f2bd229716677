/** Does it, or notes why it could not be done; says whether it was. */
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
