import { badRequest, conflict, notFound, tooLarge, unprocessable } from '../../kernel/errors.js';
import { LARGEST_EXPORT } from './imports.schemas.js';

export const importNotFound = () => notFound('Import not found');
export const fileTooLarge = () => tooLarge(`The file must have at most ${LARGEST_EXPORT / 1024 / 1024} MiB`);
export const unreadableFile = (reason: string) => unprocessable(reason);
export const noHost = () =>
  unprocessable('The project is not connected to a host; connect it, or import an exported file');
export const otherHost = (kind: string) => unprocessable(`The project's host is ${kind}`);
export const tooManyStates = (most: number) =>
  unprocessable(`The file has more than ${most} different states; is that column one of states?`);
export const unmappedStates = (states: string[]) =>
  unprocessable({
    error: 'states_without_meaning',
    states,
    message: `Say what these states mean here: ${states.join(', ')}`,
  });
export const unknownState = (name: string) =>
  unprocessable(`The board has no column ${name}, and it is no status`);
export const unknownLogin = (login: string) => unprocessable(`Nobody in the import is called ${login}`);
export const unknownAddress = (email: string) =>
  unprocessable(`Nobody who can open this board has the address ${email}`);
export const stillReading = () => conflict('It is still being read');
export const alreadyDone = () => conflict('It is done');
export const couldNotBeRead = () => conflict('It could not be read');
export const notACursor = () => badRequest('cursor is not one that this list gave out');
