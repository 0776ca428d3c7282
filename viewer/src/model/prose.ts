// Sentences as they are set: what belongs together stays on one line.

/** An arrow stays with what it comes from, and a unit with its number. */
export function together(text: string): string {
  return text
    .replace(/ ->/g, '\u00a0->')
    .replace(/(\d) (?=(%|[µun]?s|ms|ps|[kMGT]?bit\/s|[kMG]i?B|B)(?![A-Za-z]))/g, '$1\u00a0');
}
