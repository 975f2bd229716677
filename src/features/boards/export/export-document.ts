/** Counts everything and keeps what may be answered: a document over the ceiling never lies in memory. */
export function createDocument(ceiling: number) {
  let chunks: string[] = [];
  let bytes = 0;
  const isExceeded = () => bytes > ceiling;

  function count(more: number): void {
    bytes += more;
    if (isExceeded()) chunks = [];
  }

  return {
    count,
    add(chunk: string): void {
      count(Buffer.byteLength(chunk));
      if (!isExceeded()) chunks.push(chunk);
    },
    isExceeded,
    countBytes: (): number => bytes,
    readText: (): string => chunks.join(''),
  };
}

export type ExportDocument = ReturnType<typeof createDocument>;
