import { InvalidArgumentError } from 'commander';

/** Parsers of options: a whole number from `least` to `most`. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };

/** A number above nought, such as 0.5 or 60. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Write a number above 0, such as 0.5 or 60.');
}

/** A part of a whole, from `least` to `most`. */
export const fraction =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d*\.?\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Write a number from ${least} to ${most}, such as 0.1.`);
  };
