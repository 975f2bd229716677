/** Money is counted in millionths of a dollar: whole numbers add up, however many there are. */
const MICROS = 1_000_000;

export const toMicros = (usd: number): number => Math.round(usd * MICROS);
export const toUsd = (micros: number): number => micros / MICROS;

/** As people read it. */
export const sayUsd = (micros: number): string => `${toUsd(micros).toFixed(2)} USD`;
