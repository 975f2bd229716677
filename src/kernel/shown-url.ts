/** An address as it may be shown: it can carry a name and a password. */
export const withoutCredentials = (url: string): string =>
  url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
