/** What stands in the place of an erased person's name. */
export const FORMER_MEMBER = 'Former member';

/** In the place of their address, which has to differ from everybody else's; nobody can be invited or sign in by it. */
export const formerAddress = (userId: number): string => `${FORMER_MEMBER} ${userId}`;
