import { unauthorized, unavailable } from '../../../kernel/errors.js';

/** One sentence for whatever is wrong: nobody learns whether there is such a project, or what it is connected with. */
export const deliveryRefused = () => unauthorized('The delivery is not signed with the secret of this hook');

export const tooMuchAtOnce = () => unavailable('Too many deliveries at once', 5);
