import {
  badGateway,
  badRequest,
  conflict,
  forbidden,
  notFound,
  notReachable,
  preconditionFailed,
  tooLarge,
  unavailable,
  unprocessable,
} from '../../kernel/errors.js';

export const boardNotFound = () => notFound('Board not found');
export const cardNotFound = () => notFound('Card not found');
export const commentNotFound = () => notFound('Comment not found');
export const boardOfAnotherBrand = () => forbidden('This board belongs to another workspace');
export const boardNotOpenToGuest = () => forbidden('You were not invited to this board');
export const guestLevelTooLow = (action: string) =>
  forbidden(`Your level on this board does not allow you to ${action}`);

export const notTheAuthor = () => forbidden('Only its author may change a comment');
export const neitherAuthorNorAdmin = () => forbidden('Only its author or an admin may delete a comment');
export const guestMayNotSet = (field: string) => forbidden(`A guest may not set ${field}`);

export const attachmentNotFound = () => notFound('Attachment not found');
export const pictureHasNoThumbnail = (most: number) =>
  notFound(`The picture has no thumbnail: it is damaged, or larger than ${most} megapixels`);
export const notOnTheirComment = () => forbidden('Only its author may attach a file to a comment');
export const neitherAttacherNorAdmin = () => forbidden('Only who attached a file or an admin may delete it');
export const fileEmpty = () => unprocessable('The file is empty');
export const fileTooLarge = (limit: number) => tooLarge(`The file is larger than ${limit / 1024 ** 2} MiB`);
export const tooManyAttachments = (limit: number) =>
  conflict(`The card has ${limit} attachments, which is the most a card can have; delete one first`);
export const attachmentQuotaExceeded = (limit: number, current: number) =>
  forbidden({
    error: 'quota_exceeded',
    limit,
    current,
    message: `The workspace plan allows ${inGigabytes(limit)} GB of attachments, and ${inGigabytes(current)} GB are used; delete some first`,
  });
const inGigabytes = (bytes: number): number => Math.round((bytes / 1024 ** 3) * 10) / 10;
export const filesNotConfigured = () => unavailable('File storage not configured');
export const filesUnreachable = () => badGateway(notReachable('The file storage'));

export const columnAndStatusDisagree = () => conflict('Column and status disagree');
export const unknownColumn = (name: string) =>
  unprocessable(`column must be one of the board's columns; it has none called ${JSON.stringify(name)}`);
export const columnsDiffer = () =>
  unprocessable('column, column_id and column_name must name the same column');
export const columnNeeded = () => unprocessable('column must name a column by id or name');
export const columnNamesRepeat = (name: string) =>
  unprocessable(`columns must have different names; ${JSON.stringify(name)} comes twice`);
export const columnNotOfBoard = (id: string) =>
  unprocessable(`columns names the id ${id}, which is no column of this board`);
export const columnHoldsCards = (name: string, cards: number) =>
  conflict(
    `The column ${JSON.stringify(name)} still holds ${cards} ${cards === 1 ? 'card' : 'cards'}; move them first`,
  );

export const placesDiffer = () => unprocessable('Give one of position, before and after');
export const fieldRefused = (field: string, rule: string) => unprocessable(`${field} ${rule}`);

export const notForMany = (field: string) =>
  unprocessable(`set may not hold ${field}: change it card by card`);
export const cardTwice = (id: string) => unprocessable(`tasks names the card ${id} twice`);

export const unknownFields = (names: readonly string[], known: readonly string[]) =>
  badRequest(`with names ${names.join(', ')}; the fields of a card are: ${known.join(', ')}`);

export const notACursor = (parameter: string) =>
  badRequest(`${parameter} is not a cursor this endpoint issued`);
export const pageBesideCursor = () => badRequest('page and cursor exclude each other');
export const notAnInstant = (parameter: string) => badRequest(`${parameter} must be an ISO 8601 time`);
export const notPeople = () => badRequest('assignee must list me, none or ids of people');

export const guestNotFound = () => notFound('Guest not found');

/** Names the changed fields, so that the caller does not need to read the card again. */
export const versionMismatch = (currentVersion: number, changedFields: string[]) =>
  preconditionFailed({
    error: 'version_mismatch',
    message:
      changedFields.length > 0
        ? `The card has changed since that version: ${changedFields.join(', ')}`
        : 'The card does not have that version',
    current_version: currentVersion,
    changed_fields: changedFields,
  });

export const EXPORT_LIMIT_BYTES = 1_048_576;

export const exportTooLarge = (actualBytes: number, detailLevel: string) =>
  tooLarge({
    error: 'markdown_export_too_large',
    message: `The export has ${actualBytes} bytes, over the limit of ${EXPORT_LIMIT_BYTES}; ask for less detail or fewer columns`,
    actual_bytes: actualBytes,
    limit_bytes: EXPORT_LIMIT_BYTES,
    detail_level: detailLevel,
    retry_with: { detail: 'summary' },
  });
