// Sentences as they are set: what belongs together stays on one line.

/** An arrow stays with what it comes from, and a unit with its number; microseconds have their Greek letter. */
export function together(text: string): string {
  return text
    .replace(/ ->/g, '\u00a0->')
    .replace(/(\d) us\b/g, '$1 µs')
    .replace(/(\d) (?=(%|[µun]?s|ms|ps|[kMGT]?bit\/s|[kMG]i?B|B)(?![A-Za-z]))/g, '$1\u00a0');
}

/** How many letters all of these names begin with. */
function inCommon(names: string[]): number {
  let length = 0;
  while (length < names[0].length && names.every((name) => name[length] === names[0][length])) length += 1;
  return length;
}

/**
 * Names of at most about so many letters. What is left out is in the middle, as names alike often differ at their ends;
 * of those that differ in between alone, that part is shown.
 */
export function shortened(names: string[], most: number): string[] {
  const half = Math.max(2, Math.floor(most / 2));
  const short = names.map((name) => (name.length <= most ? name : `${name.slice(0, half)}…${name.slice(1 - half)}`));
  return names.map((name, nth) => {
    const alike = [...new Set(names.filter((_, other) => short[other] === short[nth]))];
    if (alike.length < 2) return short[nth];
    const from = Math.max(0, inCommon(alike) - half);
    return `…${name.slice(from, from + 2 * half - 2)}…`;
  });
}
