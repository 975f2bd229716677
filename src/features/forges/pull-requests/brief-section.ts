/** A section of a brief by its heading, without that. What stands in fences is text of people, whatever it looks like. */
export function findSection(brief: string, heading: string): string {
  const found: string[] = [];
  let fence: string | undefined;
  let isInside = false;
  for (const line of brief.split('\n')) {
    const isHeading = fence === undefined && line.startsWith('## ');
    if (isHeading && isInside) break;
    if (isInside) found.push(line);
    if (isHeading && line === `## ${heading}`) isInside = true;
    if (fence === undefined) fence = /^(`{3,})text$/.exec(line)?.[1];
    else if (line === fence) fence = undefined;
  }
  return found.join('\n').trim();
}
