/** So long a person may have a card in hand before it is given back. What a coder may take on a desk is no measure for them. */
export const LOCAL_DAYS = 14;
export const LOCAL_MINUTES = LOCAL_DAYS * 24 * 60;
