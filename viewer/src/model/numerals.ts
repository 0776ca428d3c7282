// Numbers in one way everywhere: three significant digits, thousands parted, units behind them.

const TIMES: [number, string][] = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
  [1e-12, 'ps'],
];

/** The units of counts and shares, which are not printed. */
const UNITLESS = new Set(['', '1', 'fraction', 'ratio']);
const WRITTEN = new Map([
  ['us', 'µs'],
  ['1/s2', '1/s²'],
]);

/** A unit of the engine as pages print it, with the space before it; nothing for counts and shares. */
export const unitBehind = (unit: string): string => (UNITLESS.has(unit) ? '' : ` ${WRITTEN.get(unit) ?? unit}`);

/** A number with these decimals, ties to even as in the engine and in Python; `toFixed` rounds them up. */
function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  // A tie has one binary digit behind the decimals: its decimal expansion ends there with a 5.
  const isTie = Number.isInteger(value * 2 ** (decimals + 1)) && !Number.isInteger(value * 2 ** decimals);
  const last = Number(text.at(-1));
  return isTie && last % 2 === 1 ? `${text.slice(0, -1)}${last - 1}` : text;
}

/** A number with so many significant digits. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return 'none';
  if (value === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size >= 9 || size < -4) return value.toExponential(digits - 1).replace('e+', 'e');
  const text = fixed(value, Math.max(0, digits - 1 - size));
  const [whole, part] = text.split('.');
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0');
  return part ? `${parted}.${part}` : parted;
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** A share as whole percents, halves away from zero; a small but real share is not called nothing. */
export function percent(share: number): string {
  if (share > 0 && share < 0.005) return '<1\u00a0%';
  // A difference of what is alike may be a little less than nothing: that is 0, and not -0.
  const whole = Math.sign(share) * Math.round(Math.abs(100 * share)) + 0;
  return `${whole}\u00a0%`;
}

/** A time in seconds in the unit that suits it. */
export function duration(seconds: number): string {
  if (seconds === 0) return '0 s';
  const [size, unit] = timeUnit(Math.abs(seconds));
  return `${number(seconds / size, 4)} ${unit}`;
}

/** The unit in which times up to this one are short numbers: its size in seconds, and its name. */
export const timeUnit = (longest: number): [number, string] =>
  TIMES.find(([size]) => longest >= size) ?? TIMES[TIMES.length - 1];

/** An instant, with as many digits as tell it from its neighbours `step` seconds away. */
export function instant(seconds: number, step: number): string {
  const [size, unit] = TIMES.find(([size]) => Math.abs(seconds) >= size || size <= step) ?? TIMES[4];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size))));
  return `${(seconds / size).toFixed(digits)} ${unit}`;
}
