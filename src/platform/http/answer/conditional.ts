/** Whether `If-None-Match` names the tag: by itself, in a list, as a weak one, or as anything at all. */
export const namesTag = (header: string | string[] | undefined, etag: string): boolean =>
  header !== undefined &&
  String(header)
    .split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
