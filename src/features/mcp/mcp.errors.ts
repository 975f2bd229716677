/** A fault of the message itself, in the protocol's own words; what an operation refuses is an answer instead. */
export class InvalidParams extends Error {
  readonly code = -32602;
}

export const unknownTool = (name: string) => new InvalidParams(`Unknown tool: ${name}`);

export const unknownResource = () => new InvalidParams('No resource has this address; see the templates');
