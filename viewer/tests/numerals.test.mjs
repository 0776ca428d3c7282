// Shares and times are written as the engine and Python write them: tests/numerals.tsv. Needs no browser.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import ts from 'typescript';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
const script = ts.transpile(read('../src/model/numerals.ts'), options);
const { number, percent, timeUnit } = await import(`data:text/javascript,${encodeURIComponent(script)}`);

/** Pages have a space that does not break, and the letter of the unit. */
const plain = (text) => text.replaceAll('\u00a0', ' ').replace('µs', 'us');

const rows = read('../../tests/numerals.tsv')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => line.split('\t'));

/** A time to three digits in the unit that suits it. */
function time(seconds) {
  const [size, unit] = timeUnit(seconds);
  return `${number(seconds / size, 3)} ${unit}`;
}

for (const [kind, write] of Object.entries({ share: percent, time })) {
  test(`a ${kind} is written as the engine and Python write it`, () => {
    const own = rows.filter(([sort]) => sort === kind);
    assert.ok(own.length > 0);
    for (const [, value, words] of own) assert.equal(plain(write(Number(value))), words, value);
  });
}
