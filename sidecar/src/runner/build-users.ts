/** Numbers that distributions, systemd and containers with 65,536 users all leave free. */
export const FIRST_UID = 60_578;
export const LAST_UID = 61_183;

/** Everything of a build's user is killed with its build, and what it left is run as that user: it is never anybody else. */
export const isBuildUser = (uid: number): boolean =>
  Number.isInteger(uid) && uid >= FIRST_UID && uid <= LAST_UID;
