import { hexDigits, type Random } from '../random.ts';

export function freshGuid(random: Random): string {
  const digits = hexDigits(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}
