// Amounts as tables write them: a number with its thousands apart, perhaps a unit, an interval, or a word before it.

export interface Amount {
  value: number;
  unit: string;
  /** The ends of its interval, where it has one; null for an end that nothing bounds. */
  ends: [low: number | null, high: number | null] | null;
  /** Whether the number says all: not that the amount is below it or at least so large, and nothing besides. */
  isExact: boolean;
}

const NUMBER = String.raw`[-+−]?\d[\d\s]*(?:\.\d+)?(?:e[-+]?\d+)?`;
const END = `${NUMBER}|unknown`;
const FORM = new RegExp(
  String.raw`^(<|at least )?(${NUMBER})(?:\s*(%|[a-zµ][^\s[(]*))?(?:\s\[(${END}), (${END})\])?(\s[[(].*)?$`,
  'i',
);
const SECONDS = new Map([
  ['s', 1],
  ['ms', 1e-3],
  ['µs', 1e-6],
  ['ns', 1e-9],
  ['ps', 1e-12],
]);

const plain = (text: string): number => Number(text.replace(/\s/g, '').replace('−', '-'));
const endOf = (text: string): number | null => (text === 'unknown' ? null : plain(text));

/** The amount that a text begins with; null where it begins with none. */
export function amountOf(text: string): Amount | null {
  const found = FORM.exec(text.trim());
  if (!found) return null;
  const [, before, value, unit = '', low, high, rest] = found;
  return {
    // What is below a number is above 0 and so before it.
    value: plain(value) * (before === '<' ? 0.5 : 1),
    unit,
    ends: low === undefined ? null : [endOf(low), endOf(high)],
    isExact: before === undefined && rest === undefined,
  };
}

/** What amounts are compared by: times in seconds, all else as it is; without a number before all that have one. */
export function rankOf(text: string): number {
  const amount = amountOf(text);
  return amount ? amount.value * (SECONDS.get(amount.unit) ?? 1) : -Infinity;
}

/** A column of a table for programs: its heads, and of each cell a text for each of them. */
export interface PlainColumn {
  heads: string[];
  cells: string[][];
}

/**
 * A column of amounts as plain numbers in one unit, which its head names, with the ends of intervals beside them. A
 * cell that is no exact number stays as it is, and so does a column whose units have no size in common.
 */
export function plainColumn(name: string, texts: string[]): PlainColumn {
  const amounts = texts.map(amountOf);
  const exact = amounts.filter((amount) => amount?.isExact);
  const units = [...new Set(exact.map((amount) => amount?.unit ?? ''))];
  const areTimes = units.every((unit) => SECONDS.has(unit));
  if (!exact.length || (units.length > 1 && !areTimes)) return { heads: [name], cells: texts.map((text) => [text]) };
  const unit = units.length > 1 ? 's' : units[0];
  const haveEnds = exact.some((amount) => amount?.ends);
  const cells = amounts.map((amount, nth) => {
    if (!amount?.isExact) return haveEnds ? [texts[nth], '', ''] : [texts[nth]];
    const size = units.length > 1 ? (SECONDS.get(amount.unit) ?? 1) : 1;
    const write = (number: number | null): string =>
      number === null ? '' : String(Number((number * size).toPrecision(12)));
    return [write(amount.value), ...(haveEnds ? (amount.ends?.map(write) ?? ['', '']) : [])];
  });
  const head = unit ? `${name} (${unit})` : name;
  return { heads: haveEnds ? [head, `${name}, low`, `${name}, high`] : [head], cells };
}
