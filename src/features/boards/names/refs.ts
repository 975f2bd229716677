/** A card by the key of its board and its number there. */
export interface Ref {
  key: string;
  number: number;
}

const REF = /^([a-z0-9]{1,20})-([1-9]\d{0,8})$/i;
const KEY = /^[a-z][a-z0-9]{0,19}$/i;

export const isRef = (text: string): boolean => REF.test(text);
export const isKey = (text: string): boolean => KEY.test(text);

export function readRef(text: string): Ref | undefined {
  const [, key, number] = REF.exec(text) ?? [];
  return key && number ? { key: key.toUpperCase(), number: Number(number) } : undefined;
}
