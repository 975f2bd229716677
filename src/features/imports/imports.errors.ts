import { badRequest, conflict, notFound, tooLarge, unprocessable } from '../../kernel/errors.js';
import { LARGEST_EXPORT } from './imports.schemas.js';

export const importNotFound = () => notFound('Import not found');
export const fileTooLarge = () => tooLarge(`The file must have at most ${LARGEST_EXPORT / 1024 / 1024} MiB`);
export const unreadableFile = (reason: string) => unprocessable(reason);
export const noHost = () =>
  unprocessable('The project has no repository host. Connect one or import an exported file');
export const otherHost = (kind: string) => unprocessable(`The project's host is ${kind}`);
export const tooManyStates = (most: number) =>
  unprocessable(`The file has more than ${most} different states. Check the column of states`);
export const unmappedStates = (states: string[]) =>
  unprocessable({
    error: 'states_without_meaning',
    states,
    message: `Map these states to a column or status: ${states.join(', ')}`,
  });
export const unknownState = (name: string) =>
  unprocessable(`The board has no column ${name}, and no status has this name`);
export const unknownLogin = (login: string) => unprocessable(`The import names no person ${login}`);
export const unknownAddress = (email: string) =>
  unprocessable(`No person who can open this board has the address ${email}`);
export const stillReading = () => conflict('The import is still reading');
export const alreadyDone = () => conflict('The import is already done');
export const couldNotBeRead = () => conflict('The import could not be read. Create a new one');
export const notACursor = () => badRequest('cursor is not one that this list gave out');
