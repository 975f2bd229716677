export interface EventLine {
  id?: string;
  event?: string;
  data: unknown;
}

/** Reads server-sent events over a real socket, one after another. */
export async function openEvents(address: string, headers: Record<string, string>) {
  const controller = new AbortController();
  const response = await fetch(address, { headers, signal: controller.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';

  async function nextBlock(): Promise<string | undefined> {
    while (true) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        // A block without data, such as the id at the start of a stream, is not an event.
        if (/^data:/m.test(block)) return block;
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return undefined;
      text += value;
    }
  }

  /** Returns undefined at the end of the stream. */
  async function next(): Promise<EventLine | undefined> {
    const block = await nextBlock();
    if (block === undefined) return undefined;
    const fields = Object.fromEntries(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    return { ...fields, data: JSON.parse(fields['data']!) };
  }

  return {
    response,
    next,
    async take(count: number): Promise<EventLine[]> {
      const lines: EventLine[] = [];
      while (lines.length < count) {
        const line = await next();
        if (!line) throw new Error(`The stream ended after ${lines.length} of ${count} events`);
        lines.push(line);
      }
      return lines;
    },
    close: () => controller.abort(),
  };
}
