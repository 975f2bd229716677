/** The pattern of `like` that finds a text anywhere: what stands for something else in a pattern stands for itself. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
