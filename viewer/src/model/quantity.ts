// Values of a scenario that can be slid: a number, with its unit where it has one.

export interface Quantity {
  value: number;
  /** The unit with the space before it, or nothing. */
  unit: string;
  isWhole: boolean;
}

const FORM = /^(\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)(\s+\S.*)?$/i;
const DIGITS = 3;

/** The number and the unit of a value above 0; null for any other value. */
export function quantityOf(text: string): Quantity | null {
  const found = FORM.exec(text.trim());
  if (!found) return null;
  const value = Number(found[1].replaceAll('_', ''));
  return value > 0 ? { value, unit: found[2] ?? '', isWhole: !/[.e]/i.test(found[1]) && !found[2] } : null;
}

/** The quantity times a factor, as a scenario has it, within ends: whole numbers stay whole and at least 1. */
export function times(
  { value, unit, isWhole }: Quantity,
  factor: number,
  { least, most }: { least: number | null; most: number | null },
): string {
  const now = Math.min(most ?? Infinity, Math.max(least ?? 0, Number((value * factor).toPrecision(DIGITS))));
  return (isWhole ? String(Math.max(1, Math.round(now))) : String(now)) + unit;
}
