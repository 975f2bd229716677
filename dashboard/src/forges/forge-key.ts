export const forgeKey = (projectId: string): string => `forge:${projectId}`;
export const pullRequestKey = (cardId: string): string => `pull-request:${cardId}`;
