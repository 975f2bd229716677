import { notFound, unprocessable } from '../../kernel/errors.js';

export const profileNotFound = () => notFound();

export const nothingToOverride = () => unprocessable('Set at least one override field');
export const platformOnly = (field: string) =>
  unprocessable(`${field} is platform-only and cannot be overridden`);
export const notEditable = (field: string) =>
  unprocessable(`${field} is not an editable coder profile field`);

export const codexTakesNoModel = () => unprocessable("Codex doesn't take a model choice in a profile");
export const openHandsTakesNoModel = () =>
  unprocessable('OpenHands profiles take their model from the build, not the profile');
export const openHandsTakesNoEffort = () =>
  unprocessable("OpenHands doesn't take an effort choice in a profile");
export const takesNoLimit = () => unprocessable("This profile doesn't take a limit choice");

export const notOneOf = (field: string, values: readonly string[]) =>
  unprocessable(`${field} must be one of: ${values.join(', ')}`);
export const limitOutOfRange = (platformLimit: number) =>
  unprocessable(`limit_value must be from 1 up to the platform default of ${platformLimit}`);
export const limitAbovePlatform = (value: number, platformLimit: number) =>
  unprocessable(
    `${value} is above the platform limit of ${platformLimit} for this profile. Lower it, or leave it at the platform default.`,
  );
